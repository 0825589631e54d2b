import type { JsonValue } from '../core/json.ts'
import { isJsonObject } from '../core/json.ts'

/** Takes secrets out of what others wrote: answers, errors of the network, headers. */
export interface Scrubber {
  /** One line of bounded length, without control characters and without the secrets. */
  text(text: string): string
  /** The same for every text inside a value. */
  json(value: JsonValue): JsonValue
  /** A scrubber that knows more secrets. */
  with(secrets: readonly string[]): Scrubber
}

const mask = '***'
const maxLength = 2000

/** Knows every secret in plain, URL-encoded, JSON-escaped and base64 form. */
export function createScrubber(secrets: readonly string[]): Scrubber {
  let forms: readonly RegExp[] | undefined

  const text = (dirty: string): string => {
    forms ??= [...new Set(secrets)].filter((secret) => secret !== '').flatMap(secretForms)
    const line = dirty.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    const clean = forms.reduce((rest, form) => rest.replace(form, mask), line)
    return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean
  }
  const json = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(json)
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), json(member)]))
  }
  return { text, json, with: (more) => createScrubber([...secrets, ...more]) }
}

function secretForms(secret: string): readonly RegExp[] {
  const bytes = Buffer.from(secret)
  const percented = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const texts = [secret, encodeURIComponent(secret), percented, JSON.stringify(secret).slice(1, -1)]
  const encoded = [0, 1, 2].flatMap((offset) => base64Forms(bytes, offset))
  return [...new Set([...texts, ...encoded])]
    .sort((a, b) => b.length - a.length)
    .map((form) => new RegExp(form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu'))
}

/**
 * The part of a base64 text that the secret alone decides, when it starts this many bytes after a multiple of
 * three. Such a text can hold the secret in the middle of something longer.
 */
function base64Forms(secret: Buffer, offset: number): readonly string[] {
  const whole = Buffer.concat([Buffer.alloc(offset), secret])
  const start = Math.ceil((offset * 8) / 6)
  const end = Math.floor((whole.length * 8) / 6)
  const forms = (['base64', 'base64url'] as const).map((encoding) =>
    whole.toString(encoding).slice(start, end),
  )
  // Shorter ones would also be found in harmless words.
  return forms.filter((form) => form.length >= 6)
}
