import { createHash } from 'node:crypto'
import { isJsonObject, type JsonValue, mapJson } from '../../core/json.ts'
import { createMask, hiddenMark } from '../../core/mask/index.ts'

const secretName =
  /password|passwd|passphrase|pass$|secret|token|(?:api|access|private)[-_]?key|authorization|credential|cookie/i

/** Whether a field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** The value with each field masked whose name is that of a secret, at any depth. */
export function withoutSecrets<T extends JsonValue>(value: T): T {
  // A masked value keeps its shape.
  return maskNamed(value, false) as T
}

/** The value of something that is a secret as a whole. */
export function maskWhole(value: JsonValue): JsonValue {
  return maskNamed(value, true)
}

function maskNamed(value: JsonValue, isSecret: boolean): JsonValue {
  return mapJson(value, (leaf, path) =>
    leaf !== null && (isSecret || path.some((key) => isSecretName(String(key)))) ? hiddenMark : leaf,
  )
}

/** Masks a value; it keeps its shape. */
export type MaskValue = <T extends JsonValue>(value: T) => T

/** Shorter ones would take half of any text with them. */
const shortest = 4

/**
 * Hides what an event has under the names of secrets wherever else it stands, such as in a message that repeats what an
 * expression has read, or in a name; and what is called a secret in the value itself. `sensitive` is hidden as well.
 */
export function createEventMask(body: JsonValue, sensitive: Iterable<string>, mask: MaskValue): MaskValue {
  const ofEvent = createMask([...secretTexts(body, false), ...sensitive])
  return <T extends JsonValue>(value: T): T => mask(ofEvent.value(withoutSecrets(value)) as T)
}

/** A key to remember something by, with a hash in the place of what is not to be shown: it is as unlike any other. */
export function keyWithoutSecrets(key: string, mask: MaskValue): string {
  const shown = mask(key)
  return shown === key ? key : `${shown} ${createHash('sha256').update(key).digest('hex').slice(0, 16)}`
}

function secretTexts(value: JsonValue, isSecret: boolean): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => secretTexts(item, isSecret))
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([key, item]) => secretTexts(item, isSecret || isSecretName(key)))
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return isSecret && text.length >= shortest ? [text] : []
}
