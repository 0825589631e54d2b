import type { OperationId } from './body-schemas.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'

/** The outcome in the shape that newer services answer with, where it differs from the document's. */
export function toNewerShape(id: OperationId, outcome: Outcome): Outcome {
  if (outcome.kind !== 'data') return outcome
  if (id === 'E7') return { kind: 'data', data: {} }
  const data = outcome.data
  if (!isObject(data)) return outcome
  if (id === 'E4' || id === 'catalog') return { kind: 'data', data: flattenInvocation(data) }
  if (id === 'E3') return { kind: 'data', data: { items: mapItems(data['items'], renameTracing) } }
  return outcome
}

/** Nulls and empty lists are left out, and so are the elapsed times; a result's data stands on the result itself. */
function flattenInvocation(data: JsonObject): JsonObject {
  const { error, results, ...rest } = data
  if (isObject(error)) return { ...rest, error }
  return results === undefined ? rest : { ...rest, results: mapItems(results, flattenResult) }
}

function flattenResult(result: JsonObject): JsonObject {
  const { tool = '', tool_version = '', data, error } = result
  if (!isObject(data)) return { tool, tool_version, error: error ?? null }
  const { data: inner = null, summary = '', truncated } = data
  const isTruncated = isObject(truncated) && truncated['truncated'] === true
  return {
    tool,
    tool_version,
    data: inner,
    summary,
    ...(isTruncated && { truncated: { reason: 'row_limit' } }),
  }
}

function renameTracing({ 'the service': tracing = {}, ...application }: JsonObject): JsonObject {
  return { ...application, tracing }
}

function mapItems(items: Json | undefined, change: (item: JsonObject) => JsonObject): readonly Json[] {
  return Array.isArray(items) ? items.map((item: Json) => (isObject(item) ? change(item) : item)) : []
}
