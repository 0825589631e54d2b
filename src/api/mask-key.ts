import { isJsonObject, type JsonValue } from '../core/json.ts'
import { childPath } from './field-path.ts'
import { mask } from './scrub.ts'
import { literalPattern, secretForms, writtenForms } from './secret-forms.ts'

/** A value without the key, and where it held it. */
export interface Masked {
  readonly value: JsonValue
  readonly paths: readonly string[]
}

/** Takes the key out of the data of an answer. `text` is what the data was parsed from. */
export type KeyMask = (value: JsonValue, text: string) => Masked

/**
 * Shorter keys are found inside of harmless words and numbers: they are hidden only where nothing stands around them that
 * could belong to a word.
 */
const shortestAnywhere = 8
/** Shorter ones still are in every second answer, whose results would be changed for nothing. */
export const shortestKey = 4

/** The same forms of the key as in errors; but data keeps its length and its line breaks. */
export function createKeyMask(key: string): KeyMask {
  if (key.length < shortestKey) return (value) => ({ value, paths: [] })
  const isShort = key.length < shortestAnywhere
  const wordlike = new Set(isShort ? writtenForms(key) : [])
  const patterns = secretForms(key).map((form) =>
    wordlike.has(form) ? wholeWord(form) : literalPattern(form),
  )
  const forms = new RegExp(patterns.join('|'), 'giu')
  return (value, text) => {
    // Nearly every answer is done with this. Escapes can hide the key from a search of the text, or its bounds.
    const isPossible = text.search(forms) >= 0 || (isShort ? /\\/ : /\\[u/\\]/).test(text)
    const paths: string[] = []
    return { value: isPossible ? withoutKey(value, 'data', { key, forms }, paths) : value, paths }
  }
}

/** A pattern for the text where it is no part of a longer word or number. */
function wholeWord(text: string): string {
  const before = /^[\p{L}\p{N}_]/u.test(text) ? '(?<![\\p{L}\\p{N}_])' : ''
  const after = /[\p{L}\p{N}_]$/u.test(text) ? '(?![\\p{L}\\p{N}_])' : ''
  return `${before}${literalPattern(text)}${after}`
}

function withoutKey(
  value: JsonValue,
  path: string,
  { key, forms }: { readonly key: string; readonly forms: RegExp },
  paths: string[],
): JsonValue {
  const clean = (text: string): string => {
    const cleaned = text.replace(forms, mask)
    if (cleaned !== text) paths.push(path)
    return cleaned
  }
  if (typeof value === 'string') return clean(value)
  if (typeof value === 'number' && String(value) === key) {
    paths.push(path)
    return mask
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => withoutKey(item, childPath(path, index), { key, forms }, paths))
  }
  if (!isJsonObject(value)) return value
  // Not by assignment, which would set the prototype where the field is called `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      clean(name),
      withoutKey(member, childPath(path, name), { key, forms }, paths),
    ]),
  )
}
