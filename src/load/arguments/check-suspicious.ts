import { isJsonObject, type JsonSchema } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import type { JsonPath } from '../json-path.ts'
import type { Source } from '../source.ts'
import { isUndecided } from '../yaml/unreadable.ts'

/** Warns of values that fit and are still suspicious: deprecated, not listed, or close to a known name. */
export function checkSuspicious(source: Source, schema: JsonSchema, value: unknown, path: JsonPath): void {
  const { properties, items, deprecated } = schema
  if (deprecated === true) {
    const message = `"${String(path.at(-1))}" is deprecated`
    source.findings.warn('DEPRECATED_ARGUMENT', path, source.rangeOfKey(path), message, 'leave it out')
  }
  if (typeof value === 'string' && !isUndecided(value)) checkListed(source, schema, value, path)
  if (Array.isArray(value) && isJsonObject(items)) {
    for (const [index, item] of value.entries()) checkSuspicious(source, items, item, [...path, index])
  }
  if (!isJsonObject(value) || !isJsonObject(properties)) return
  for (const [name, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (isJsonObject(property)) checkSuspicious(source, property, item, [...path, name])
  }
}

function checkListed(source: Source, schema: JsonSchema, value: string, path: JsonPath): void {
  const range = source.rangeOf(path)
  const known = schema['knownValues'] as readonly string[] | undefined
  if (known && !known.includes(value)) {
    const near = nearest(value, known)
    const hint = near === undefined ? `listed: ${known.join(', ')}` : `did you mean "${near}"?`
    source.findings.warn('UNLISTED_VALUE', path, range, `"${value}" is not among the listed values`, hint)
  }
  const names = schema['suggestions'] as readonly string[] | undefined
  const near = names?.includes(value) === false ? nearest(value, names) : undefined
  if (near === undefined) return
  const message = `no known tool is called "${value}"`
  source.findings.warn('UNKNOWN_TOOL', path, range, message, `did you mean "${near}"?`)
}
