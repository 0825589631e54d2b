import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { SecretPosition } from '../plan/plan.ts'
import { withSecrets } from '../plan/secrets.ts'

/** Replaces an argument that the action marks as sensitive. */
const masked = '(masked)'

/** The arguments of a call as a record shows them: secrets by their names, sensitive ones masked. */
export function shownInput(
  input: JsonObject,
  sensitiveInput: readonly string[] = [],
  secrets: readonly SecretPosition[] = [],
  secretText: (name: string) => string = (name) => `\${{ secrets.${name} }}`,
): JsonObject {
  const hidden = sensitiveInput.reduce<JsonValue>(
    (rest, field) => withoutField(rest, field.split('.')),
    input,
  )
  // The name of a secret is not secret, and shows which one is sent.
  return withSecrets(hidden as JsonObject, secrets, secretText)
}

/** Masks everything at or under the field; `*` stands for any key or position. */
function withoutField(value: JsonValue, [first, ...rest]: readonly string[]): JsonValue {
  if (first === undefined) return value === null || isEmpty(value) ? value : masked
  if (Array.isArray(value))
    return value.map((item, at) => (first === '*' || first === String(at) ? withoutField(item, rest) : item))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      first === '*' || first === key ? withoutField(item, rest) : item,
    ]),
  )
}

function isEmpty(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
