import { isObject, type Json, type JsonObject } from './json.ts'

/** Fields that the schema does not name, as JSON pointers. Where the schema leaves an object open, all are known. */
export function findUnknownFields(schema: Json | undefined, value: Json, path = ''): readonly string[] {
  if (!isObject(schema)) return []
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => findUnknownFields(schema['items'], item, `${path}/${index}`))
  }
  if (!isObject(value) || !isObject(schema['properties'])) return []
  const known: JsonObject = schema['properties']
  return Object.entries(value).flatMap(([name, field]) => {
    const pointer = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (Object.hasOwn(known, name)) return findUnknownFields(known[name], field, pointer)
    return schema['additionalProperties'] === false ? [pointer] : []
  })
}

/** As the value of a header: comma separated, anything but plain ASCII percent-encoded, cut off at a sane length. */
export function formatUnknownFields(fields: readonly string[]): string {
  const shown = fields
    .slice(0, 50)
    .map((field) => field.slice(0, 200).replace(/[^\x21-\x7e]|[,%]/gu, encodeCharacter))
  const left = fields.length - shown.length
  return shown.join(',') + (left > 0 ? `,+${left}` : '')
}

function encodeCharacter(character: string): string {
  // Half of a surrogate pair cannot be encoded; it is named by the replacement character.
  return encodeURIComponent(/^[\ud800-\udfff]$/.test(character) ? '\ufffd' : character)
}
