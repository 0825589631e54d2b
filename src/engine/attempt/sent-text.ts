import type { ActionDescription, Safety } from '../../core/action.ts'
import type { CallRequest } from '../../core/host/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { withSecrets } from '../../core/secrets.ts'

/** Larger requests are recorded by their size only. */
const mostBytes = 64 * 1024

/** Replaces an argument that the action marks as sensitive. */
const masked = '(masked)'

/**
 * The request of a write as JSON for the record: secrets by their names, sensitive arguments masked. Undefined for a
 * read, and for a local action.
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
  // The name of a secret is not secret, and shows which one was sent.
  const shown = withSecrets(hidden as JsonObject, secrets, (name) => `\${{ secrets.${name} }}`)
  const more = {
    ...(saveAs === undefined ? {} : { save_as: saveAs }),
    ...(connection === undefined ? {} : { connection }),
  }
  const text = JSON.stringify({ input: shown, ...more })
  const bytes = Buffer.byteLength(text)
  return bytes <= mostBytes ? text : JSON.stringify({ bytes, ...more })
}

/** Masks everything at or under the field; `*` stands for any key or position. */
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
