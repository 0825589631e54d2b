import { isJsonObject, type JsonValue } from './json.ts'

/** A value as JSON, the same whatever the order of its keys. */
export function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  let fields = ''
  const keys = Object.keys(value)
  for (const key of keys.length > 1 ? keys.sort() : keys) {
    fields += `${fields === '' ? '' : ','}${JSON.stringify(key)}:${canonicalText(value[key] as JsonValue)}`
  }
  return `{${fields}}`
}

/** Whether two values are the same JSON, whatever the order of their keys. */
export function isSameJson(one: JsonValue, other: JsonValue): boolean {
  return canonicalText(one) === canonicalText(other)
}
