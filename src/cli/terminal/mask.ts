import { literalPattern, secretForms } from '../../api/secret-forms.ts'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { sensitiveValues } from '../../core/record/sensitive-values.ts'

/** What stands where a value is not shown. */
const maskText = '(masked)'

/** Hides values that were marked sensitive, wherever they turn up. */
export interface Mask {
  /** From now on the values at these fields (`items.*.client_token`) of the outputs are hidden. */
  learn(outputs: JsonValue | undefined, fields: readonly string[]): void
  /** From now on this is hidden. */
  hide(secret: string): void
  text(text: string): string
  value(value: JsonValue): JsonValue
}

/** Shorter values are hidden only where they stand alone: inside other text they would hide half of it. */
const shortestInText = 4

/** A mask that knows these secrets from the start. */
export function createMask(secrets: readonly string[] = []): Mask {
  const known = new Set<string>()
  let pattern: RegExp | undefined
  const add = (secret: string): void => {
    if (secret === '') return
    for (const form of secretForms(secret)) known.add(form)
    pattern = undefined
  }
  for (const secret of secrets) add(secret)

  const maskInText = (text: string): string => {
    if (known.size === 0) return text
    if (known.has(text)) return maskText
    pattern ??= patternOf(known)
    return text.replace(pattern, maskText)
  }
  const maskValue = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return maskInText(value)
    if (typeof value === 'number') return known.has(String(value)) ? maskText : value
    if (Array.isArray(value)) return value.map(maskValue)
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [maskInText(key), maskValue(item)]))
  }
  return {
    learn(outputs, fields) {
      for (const value of sensitiveValues(outputs, fields)) add(value)
    },
    hide: add,
    text: maskInText,
    value: maskValue,
  }
}

/** One pattern for all, the longest first, so that a secret inside another does not show the rest of it. */
function patternOf(known: ReadonlySet<string>): RegExp {
  const inText = [...known].filter((secret) => secret.length >= shortestInText)
  if (inText.length === 0) return /(?!)/
  const alternatives = inText.sort((one, other) => other.length - one.length).map(literalPattern)
  return new RegExp(alternatives.join('|'), 'giu')
}
