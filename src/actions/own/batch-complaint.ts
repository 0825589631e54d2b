import type { BatchRule } from '../../core/action.ts'
import { isJsonObject } from '../../core/json.ts'

/** What is wrong with the rule for a batch. */
export function batchComplaint(rule: BatchRule, input: unknown, output: unknown): string | undefined {
  if (!isJsonObject(rule)) return 'must be a map: argument, size, results, isPositional'
  if (!isList(input, rule.argument))
    return 'must name an argument that the input schema describes as an array'
  if (!isList(output, rule.results)) return 'must name results that the output schema describes as an array'
  if (!Number.isSafeInteger(rule.size) || rule.size < 1) return 'needs a size: how many items one call takes'
  if (typeof rule.isPositional !== 'boolean') return 'needs isPositional: true or false'
  const texts = [rule.itemError, rule.itemKey]
  if (texts.some((text) => text !== undefined && typeof text !== 'string')) {
    return 'has an itemError or itemKey that is no field name'
  }
  return undefined
}

function isList(schema: unknown, name: unknown): boolean {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined
  if (typeof name !== 'string' || !isJsonObject(properties)) return false
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  return isJsonObject(property) && property['type'] === 'array'
}
