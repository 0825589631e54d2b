import { isJsonObject, type JsonSchema } from '../../core/json.ts'
import type { JsonPath } from '../json-path.ts'
import { resolveReference } from './check-keyword.ts'

const mostSchemas = 10_000

/**
 * The first schema that asks for itself about the same value, or for more schemas than can be tried: references make
 * a short schema as large as one likes.
 */
export function findEndless(
  schemas: readonly { readonly schema: JsonSchema; readonly path: JsonPath }[],
  root: JsonSchema,
): JsonPath | undefined {
  const costs = new Map<unknown, number>()
  const costOf = (schema: unknown): number => {
    if (!isJsonObject(schema)) return 0
    const known = costs.get(schema)
    if (known !== undefined) return known
    // While it is being counted it costs too much: only a circle comes back here.
    costs.set(schema, Number.POSITIVE_INFINITY)
    const cost = partsOf(schema, root).reduce<number>((sum, part) => sum + costOf(part), 1)
    costs.set(schema, cost)
    return cost
  }
  return schemas.find(({ schema }) => costOf(schema) > mostSchemas)?.path
}

/** The schemas that judge the same value as this one. */
function partsOf(schema: JsonSchema, root: JsonSchema): readonly unknown[] {
  const { $ref, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise } = schema
  const lists = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const target = typeof $ref === 'string' ? resolveReference($ref, root) : undefined
  return [...lists, not, condition, then, otherwise, target]
}
