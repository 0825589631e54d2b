/** A value that JSON can hold. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** An object that JSON can hold. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** A JSON Schema (2020-12 vocabulary as far as Ajv's default dialect goes), as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The schema of an object type `T`: the compiler refuses it when its properties and those of `T` differ. */
export interface ObjectSchema<T> extends JsonSchema {
  readonly type: 'object'
  readonly properties: { readonly [K in keyof T]-?: JsonSchema }
  readonly required: readonly RequiredKey<T>[]
}

type RequiredKey<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T]

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The fields of `T` that can be undefined are left out then. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** An object without its undefined fields. */
export function withoutUndefined<const T extends object>(fields: T): Defined<T> {
  const defined: Partial<T> = {}
  // Not by lists of entries: events and calls are written so.
  for (const key in fields) if (fields[key] !== undefined) defined[key] = fields[key]
  return defined as unknown as Defined<T>
}

/**
 * Whether a text has no half of a surrogate pair. Such halves are all written as the same replacement character, so two
 * ids or keys that differ in nothing else would become one.
 */
export function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text)
}

/** Keys and list positions from the root of a document to one of its values. */
export type JsonPath = readonly (string | number)[]

/** Such as `steps[2].with.tools`. */
export function formatPath(path: JsonPath): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  )
}

/** A value with other leaves and names. The path is that of the leaf, or of the object that has the name. */
export function mapJson(
  value: JsonValue,
  leafOf: (leaf: Exclude<JsonValue, object>, path: JsonPath) => JsonValue,
  nameOf: (name: string, path: JsonPath) => string = (name) => name,
  path: JsonPath = [],
): JsonValue {
  if (Array.isArray(value)) return value.map((item, at) => mapJson(item, leafOf, nameOf, [...path, at]))
  if (!isJsonObject(value)) return leafOf(value as Exclude<JsonValue, object>, path)
  // Not by assignment, which would set the prototype where the field is called `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      nameOf(name, path),
      mapJson(member, leafOf, nameOf, [...path, name]),
    ]),
  )
}

/** The parts of a JSON Pointer. List positions become numbers, as far as the value has lists there. */
export function parsePointer(pointer: string, value: unknown): JsonPath {
  let holder = value
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const step = Array.isArray(holder) ? Number(key) : key
      holder = (holder as Readonly<Record<string | number, unknown>> | undefined)?.[step]
      return step
    })
}

/** The value at a path of keys and list positions, or undefined. */
export function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((holder, part) => {
    if (Array.isArray(holder)) return holder[Number(part)]
    return isJsonObject(holder) && Object.hasOwn(holder, part) ? holder[part] : undefined
  }, value)
}

/** The part of a schema that a reference such as `#/definitions/token` names. */
export function partAt(schema: JsonSchema, reference: string): JsonValue | undefined {
  const names = reference.replace(/^#\/?/, '').split('/').filter(Boolean)
  return names.reduce<JsonValue | undefined>((part, escaped) => {
    const name = decodeURIComponent(escaped).replaceAll('~1', '/').replaceAll('~0', '~')
    return isJsonObject(part) && Object.hasOwn(part, name) ? part[name] : undefined
  }, schema as JsonValue)
}

/**
 * Whether a number as it is written cannot be held: it is beyond 2^53 - 1, and a whole number, or one of which digits
 * would be lost. Two ids or keys could become one.
 */
export function isBeyondNumbers(written: string): boolean {
  const number = Number(written)
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return false
  return written.length > 400 || /^-?\d+$/.test(written) || decimal(written) !== decimal(String(number))
}

/** A number in one spelling: its digits from the first to the last that is not 0, and the power of ten. */
function decimal(written: string): string {
  const [mantissa = '', exponent = '0'] = written.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.')
  const digits = whole + fraction
  const significant = digits.replace(/0+$/, '')
  return `${significant.replace(/^0+/, '')}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/** A value as JSON, the same whatever the order of its keys. */
export function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  let fields = ''
  const keys = Object.keys(value)
  for (const key of keys.length > 1 ? keys.sort() : keys)
    fields += `${fields === '' ? '' : ','}${JSON.stringify(key)}:${canonicalText(value[key] as JsonValue)}`
  return `{${fields}}`
}

/** Whether two values are the same JSON, whatever the order of their keys. */
export function isSameJson(one: JsonValue, other: JsonValue): boolean {
  return canonicalText(one) === canonicalText(other)
}

/** Bytes of a value as JSON in UTF-8. */
export function jsonSize(value: JsonValue): number {
  const text = JSON.stringify(value)
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    // Half of a pair that makes four bytes of two units; JSON.stringify leaves no half alone.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}

const quote = 0x22
const backslash = 0x5c
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** The deepest JSON that is read: recursive code overflows on deeper values. */
export const mostLevels: number = 100

/** Whether a JSON text nests deeper than `mostLevels`. Text that is not JSON may get either answer. */
export function isDeeper(text: Uint8Array, levels: number = mostLevels): boolean {
  let depth = 0
  let isInText = false
  for (let index = 0; index < text.length; index++) {
    const byte = text[index] ?? 0
    if (byte === quote) isInText = !isInText
    else if (isInText) {
      // What is escaped ends no text.
      if (byte === backslash) index++
    } else if (opening.has(byte)) {
      depth++
      if (depth > levels) return true
    } else if (closing.has(byte)) depth--
  }
  return false
}
