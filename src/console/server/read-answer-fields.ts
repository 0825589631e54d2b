import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { choicesOf, type Question } from '../../core/people/index.ts'
import { refused } from '../../core/run-error.ts'
import { readField } from '../../load/yaml/index.ts'
import { type FormFields, pickChoices } from './read-form.ts'

/**
 * Reads the fields of a form by the schema of the question, as `opsbook run` reads them at a prompt. Throws
 * `InvalidInput` where one cannot be read. Whether they fit is decided with the answer.
 */
export function readAnswerFields(
  { schema = {}, choices, default: standard }: Question,
  { texts, choices: chosen }: FormFields,
): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  const value: Record<string, JsonValue> = {}
  for (const [name, property] of Object.entries(properties)) {
    const field = isJsonObject(property) ? property : {}
    const listed = choicesOf({ schema, choices: choices ?? {} }, name)
    const given =
      listed === undefined
        ? readOne(name, (texts[name] ?? '').trim(), field)
        : pickChoices(`answer.${name}`, listed, chosen[name] ?? [], field['type'] === 'array')
    const usual = isJsonObject(standard) ? standard[name] : undefined
    const taken = given ?? usual
    if (taken !== undefined) value[name] = taken
  }
  return value
}

function readOne(name: string, text: string, field: JsonObject): JsonValue | undefined {
  if (text === '') return undefined
  const read = readField(text, field)
  if ('problem' in read) throw refused(`answer.${name}: ${read.problem}`)
  return read.value
}
