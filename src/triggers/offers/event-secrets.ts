import { createHash } from 'node:crypto'
import { literalPattern, writtenForms } from '../../api/secret-forms.ts'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { isSecretName, withoutSecrets } from './without-secrets.ts'

/** Takes out of a value what is not to be shown; it keeps its shape. */
export type MaskValue = <T extends JsonValue>(value: T) => T

/** Shorter ones would take half of any text with them. */
const shortest = 4

/**
 * Hides what an event has under the names of secrets wherever else it stands, such as in a message that repeats what an
 * expression has read; and what is called a secret in the value itself.
 */
export function createEventMask(body: JsonValue, mask: MaskValue): MaskValue {
  const forms = [...new Set(secretTexts(body, false).flatMap(writtenForms))]
  const longestFirst = forms.toSorted((one, other) => other.length - one.length)
  const pattern =
    forms.length === 0 ? undefined : new RegExp(longestFirst.map(literalPattern).join('|'), 'gu')
  const hide = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return pattern ? value.replace(pattern, '(masked)') : value
    if (Array.isArray(value)) return value.map(hide)
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hide(item)]))
  }
  return <T extends JsonValue>(value: T): T => mask(hide(withoutSecrets(value)) as T)
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
