import { type FormField, type FormFields, fieldsOf } from '../../../console/server/index.ts'
import type { JsonObject, JsonSchema, JsonValue } from '../../../core/json.ts'
import { refused } from '../../../core/record/index.ts'
import { readField } from '../../run/ask-fields.ts'
import { parseValue, readText } from '../../shared/read-inputs.ts'

/**
 * Reads the fields of a form by the schema of an object, as `--input` reads them. Throws `InvalidInput` where one cannot
 * be read. Whether the values fit is for the reader of the object.
 */
export function readForm(
  noun: string,
  schema: JsonSchema | undefined,
  { texts, choices }: FormFields,
): JsonObject {
  const fields = fieldsOf(schema)
  const names = new Set(fields.map(({ name }) => name))
  const unknown = [...Object.keys(texts), ...Object.keys(choices)].find((name) => !names.has(name))
  if (unknown !== undefined) throw refused(`there is no ${noun} "${unknown}" any more`)
  const read: Record<string, JsonValue> = {}
  for (const field of fields) {
    const value =
      field.choices === undefined
        ? readOne(noun, field, texts[field.name] ?? '')
        : pick(noun, field, choices[field.name] ?? [])
    if (value !== undefined) put(read, field.path, value)
  }
  return read
}

function readOne(noun: string, { name, kind, schema }: FormField, text: string): JsonValue | undefined {
  if (text.trim() === '') return undefined
  if (kind === 'text' || kind === 'long-text' || kind === 'date')
    return readText(text.replaceAll('\r\n', '\n'))
  const value = kind === 'list' ? readField(text.trim(), schema) : parseValue(text)
  if ('problem' in value) throw refused(`${noun} ${name}: ${value.problem}`)
  return value.value
}

function pick(
  noun: string,
  { name, kind, choices = [] }: FormField,
  positions: readonly number[],
): JsonValue | undefined {
  const picked = positions.map((position) => {
    const choice = choices[position]
    if (choice === undefined) throw refused(`${noun} ${name}: there is no choice ${position}`)
    return choice.value
  })
  if (kind === 'choice') return picked[0]
  return picked.length === 0 ? undefined : picked
}

/** Puts a value into the object that its path names. */
function put(
  object: Record<string, JsonValue>,
  [name = '', ...rest]: readonly string[],
  value: JsonValue,
): void {
  if (rest.length === 0) {
    object[name] = value
    return
  }
  const inner = { ...((object[name] ?? {}) as JsonObject) }
  put(inner, rest, value)
  object[name] = inner
}
