import { isJsonObject, type JsonValue } from '../core/json.ts'
import { childPath } from './field-path.ts'
import { mask } from './scrub.ts'
import { literalPattern, secretForms } from './secret-forms.ts'

/** A value without the key, and where it held it. */
export interface Masked {
  readonly value: JsonValue
  readonly paths: readonly string[]
}

/** Takes the key out of the data of an answer. `text` is what the data was parsed from. */
export type KeyMask = (value: JsonValue, text: string) => Masked

/** Shorter keys are found in harmless words, and results that are changed for nothing are worse than such a key shown. */
const shortestKey = 8

/** The same forms of the key as in errors; but data keeps its length and its line breaks. */
export function createKeyMask(key: string): KeyMask {
  if (key.length < shortestKey) return (value) => ({ value, paths: [] })
  const forms = new RegExp(secretForms(key).map(literalPattern).join('|'), 'giu')
  return (value, text) => {
    // Nearly every answer is done with this. Escapes can hide the key from a search of the text.
    const isPossible = text.search(forms) >= 0 || /\\[u/\\]/.test(text)
    const paths: string[] = []
    return { value: isPossible ? withoutKey(value, 'data', forms, paths) : value, paths }
  }
}

function withoutKey(value: JsonValue, path: string, forms: RegExp, paths: string[]): JsonValue {
  const clean = (text: string): string => {
    const cleaned = text.replace(forms, mask)
    if (cleaned !== text) paths.push(path)
    return cleaned
  }
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) {
    return value.map((item, index) => withoutKey(item, childPath(path, index), forms, paths))
  }
  if (!isJsonObject(value)) return value
  // Not by assignment, which would set the prototype where the field is called `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      clean(name),
      withoutKey(member, childPath(path, name), forms, paths),
    ]),
  )
}
