import type { ActionDescription, Safety } from '../../core/action.ts'
import type { CallRequest } from '../../core/host.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { withSecrets } from '../../core/secrets.ts'

/** More than this is not kept of what one write was sent with. */
const mostBytes = 64 * 1024

/** Stands where an argument stood that the action marks as sensitive. */
const masked = '(masked)'

/**
 * What a write is about to be sent with, as JSON for the record: secrets by their names, sensitive arguments masked.
 * Undefined for what changes nothing elsewhere.
 */
export function sentText(
  { input, secrets = [], saveAs, connection }: CallRequest,
  { sensitiveInput = [], isLocal }: ActionDescription,
  safety: Safety,
): string | undefined {
  if (safety === 'read' || isLocal) return undefined
  const hidden = sensitiveInput.reduce<JsonValue>(
    (rest, field) => withoutField(rest, field.split('.')),
    input,
  )
  // Afterwards: a name is no secret, and says which of them was sent.
  const shown = withSecrets(hidden as JsonObject, secrets, (name) => `\${{ secrets.${name} }}`)
  const more = {
    ...(saveAs === undefined ? {} : { save_as: saveAs }),
    ...(connection === undefined ? {} : { connection }),
  }
  const text = JSON.stringify({ input: shown, ...more })
  const bytes = Buffer.byteLength(text)
  return bytes <= mostBytes ? text : JSON.stringify({ bytes, ...more })
}

/** The value with everything at or under the field masked; `*` stands for any key or position. */
function withoutField(value: JsonValue, [first, ...rest]: readonly string[]): JsonValue {
  if (first === undefined) return value === null || isEmpty(value) ? value : masked
  if (Array.isArray(value)) {
    return value.map((item, at) => (first === '*' || first === String(at) ? withoutField(item, rest) : item))
  }
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
