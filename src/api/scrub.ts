import type { JsonValue } from '../core/json.ts'
import { isJsonObject } from '../core/json.ts'
import { literalPattern, secretForms } from './secret-forms.ts'

/** Takes secrets out of what others wrote: answers, errors of the network, headers. */
export interface Scrubber {
  /** One line of bounded length, without control characters and without the secrets. */
  text(text: string): string
  /** The same for every text inside a value, which may be four times as long. */
  json(value: JsonValue): JsonValue
  /** A scrubber that knows more secrets. */
  with(secrets: readonly string[]): Scrubber
}

/** Stands where a secret stood. */
export const mask = '***'
const maxLength = 2000
const maxLengthInValue = 8000

/** Knows every secret in plain, URL-encoded, JSON-escaped and base64 form. */
export function createScrubber(secrets: readonly string[]): Scrubber {
  let forms: readonly RegExp[] | undefined

  const clean = (dirty: string, most: number): string => {
    forms ??= [...new Set(secrets)]
      .filter((secret) => secret !== '')
      .flatMap(secretForms)
      .map(patternOf)
    const line = dirty.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    const masked = forms.reduce((rest, form) => rest.replace(form, mask), line)
    return masked.length > most ? `${masked.slice(0, most)}…` : masked
  }
  const text = (dirty: string): string => clean(dirty, maxLength)
  const json = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return clean(value, maxLengthInValue)
    if (Array.isArray(value)) return value.map(json)
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), json(member)]))
  }
  return { text, json, with: (more) => createScrubber([...secrets, ...more]) }
}

function patternOf(form: string): RegExp {
  return new RegExp(literalPattern(form), 'giu')
}
