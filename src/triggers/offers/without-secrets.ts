import { isJsonObject, type JsonValue } from '../../core/json.ts'

const secretName = /pass(?:word|wd|phrase)?$|secret|token|api[-_]?key|authorization|credential|cookie/i

/** What is called a secret is none of what people need to see. */
export function withoutSecrets(name: string, value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(name, item))
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecrets(key, item)]))
  return secretName.test(name) && value !== null ? '(masked)' : value
}
