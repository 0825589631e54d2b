import { type Operation, operations } from '../api/operations/index.ts'
import { isObject, type Json, type JsonObject } from './json.ts'

/** What the service asks for although the client's table leaves it open, because the client splits or fills in. */
const stricter: Readonly<Record<string, JsonObject>> = {
  E3: { properties: { application_ids: { maxItems: 200 } } },
  E4: { properties: { tools: { maxItems: 8, items: { required: ['tool', 'params'] } } } },
}

export type OperationId = Operation<unknown, unknown>['id']

/** An operation as the sandbox sees it: its address, its limit, and the schema of its body. */
export interface BodyRoute {
  readonly id: OperationId
  readonly name: string
  readonly path: string
  readonly limit: Operation<unknown, unknown>['limit']
  /** Closed: names every field there is. */
  readonly schema: JsonObject
}

export const routes: readonly BodyRoute[] = Object.values(operations).map(({ id, name, limit, input }) => ({
  id,
  name,
  path: `/${name}`,
  limit,
  schema: merge(input as unknown as JsonObject, stricter[id] ?? {}),
}))

function merge(base: JsonObject, changes: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...base }
  for (const [key, value] of Object.entries(changes)) {
    const before = merged[key]
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : value
  }
  return merged
}
