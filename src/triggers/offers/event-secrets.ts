import { createHash } from 'node:crypto'
import { literalPattern, writtenForms } from '../../api/secret-forms.ts'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { isSecretName, withoutSecrets } from './without-secrets.ts'

/** Takes out of a value what is not to be shown; it keeps its shape. */
export type MaskValue = <T extends JsonValue>(value: T) => T

const masked = '(masked)'

/** Shorter ones would take half of any text with them. */
const shortest = 4

/** Longer ones are looked for one by one: V8 refuses a pattern of alternatives with 32,767 characters in a row. */
const longestInPattern = 1000

/**
 * Hides what an event has under the names of secrets wherever else it stands, such as in a message that repeats what an
 * expression has read, or in a name; and what is called a secret in the value itself.
 */
export function createEventMask(body: JsonValue, mask: MaskValue): MaskValue {
  const hideText = createTextMask([...new Set(secretTexts(body, false).flatMap(writtenForms))])
  const hide = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return hideText(value)
    if (Array.isArray(value)) return value.map(hide)
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [hideText(key), hide(item)]))
  }
  return <T extends JsonValue>(value: T): T => mask(hide(withoutSecrets(value)) as T)
}

/** The longest first, so that one inside another does not show the rest of it. */
function createTextMask(secrets: readonly string[]): (text: string) => string {
  const longestFirst = secrets.toSorted((one, other) => other.length - one.length)
  const long = longestFirst.filter(({ length }) => length > longestInPattern)
  const others = longestFirst.slice(long.length).map(literalPattern)
  const pattern = others.length === 0 ? undefined : new RegExp(others.join('|'), 'gu')
  return (text) => {
    const left = long.reduce((rest, secret) => rest.replaceAll(secret, masked), text)
    return pattern ? left.replace(pattern, masked) : left
  }
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
