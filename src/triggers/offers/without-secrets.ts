import { isJsonObject, type JsonValue } from '../../core/json.ts'

const secretName =
  /password|passwd|passphrase|pass$|secret|token|(?:api|access|private)[-_]?key|authorization|credential|cookie/i

/** Whether what is called so is none of what people need to see. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** The value with all that stands under the name of a secret masked, however deep. */
export function withoutSecrets<T extends JsonValue>(value: T): T {
  // What is masked keeps its shape.
  return maskNamed(value, false) as T
}

/** The value of something that is a secret as a whole. */
export function maskWhole(value: JsonValue): JsonValue {
  return maskNamed(value, true)
}

function maskNamed(value: JsonValue, isSecret: boolean): JsonValue {
  if (Array.isArray(value)) return value.map((item) => maskNamed(item, isSecret))
  if (isJsonObject(value)) {
    const entries = Object.entries(value)
    return Object.fromEntries(
      entries.map(([key, item]) => [key, maskNamed(item, isSecret || isSecretName(key))]),
    )
  }
  return isSecret && value !== null ? '(masked)' : value
}
