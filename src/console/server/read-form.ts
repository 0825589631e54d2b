import type { JsonObject, JsonValue } from '../../core/json.ts'
import { refused } from '../../core/run-error.ts'
import { parseValue, readField, readInputText, spellingFor } from '../../load/yaml/index.ts'
import type { FormField } from '../form-fields.ts'

/** The fields of a form as a browser sends them, by name. */
export interface FormFields {
  /** Texts, read as `--set` reads them. Empty: the default, or nothing. */
  readonly texts: Readonly<Record<string, string>>
  /** Positions among the choices that the schema or the question lists. */
  readonly choices: Readonly<Record<string, readonly number[]>>
}

/**
 * Reads the fields of a form as `--input` reads them. Throws `InvalidInput` where one cannot be read. Whether the values
 * fit is for the reader of the object. Messages name a field by the noun, the joint and its name.
 */
export function readForm(
  noun: string,
  fields: readonly FormField[],
  { texts, choices }: FormFields,
  joint = ' ',
): JsonObject {
  const names = new Set(fields.map(({ name }) => name))
  const unknown = [...Object.keys(texts), ...Object.keys(choices)].find((name) => !names.has(name))
  if (unknown !== undefined) throw refused(`there is no ${noun} "${unknown}" any more`)
  const read: Record<string, JsonValue> = {}
  for (const field of fields) {
    const value =
      field.choices === undefined
        ? readOne(noun + joint, field, texts[field.name] ?? '')
        : pickChoices(
            `${noun}${joint}${field.name}`,
            field.choices.map((choice) => choice.value),
            choices[field.name] ?? [],
            field.kind === 'choices',
          )
    if (value !== undefined) put(read, field.path, value)
  }
  return read
}

function readOne(head: string, { name, kind, schema }: FormField, text: string): JsonValue | undefined {
  if (text.trim() === '') return undefined
  if (kind === 'text' || kind === 'long-text' || kind === 'date')
    return readInputText(text.replaceAll('\r\n', '\n'))
  const value = kind === 'list' ? readField(text.trim(), schema) : parseValue(text, spellingFor(schema))
  if ('problem' in value) throw refused(`${head}${name}: ${value.problem}`)
  return value.value
}

/** The values at some positions: a list of them where the field is a list. Throws `InvalidInput` where there is none. */
function pickChoices(
  field: string,
  values: readonly JsonValue[],
  positions: readonly number[],
  isList: boolean,
): JsonValue | undefined {
  const picked = positions.map((position) => {
    const value = values[position]
    if (value === undefined) throw refused(`${field}: there is no choice ${position}`)
    return value
  })
  if (!isList) return picked[0]
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
