/**
 * Hides secrets, and values that actions mark as sensitive, wherever text leaves the process: the log, the terminal,
 * the journal, reports, messages, answers and errors all pass through here.
 */
import { type JsonPath, type JsonValue, mapJson } from '../json.ts'
import { findSecrets } from './find-secrets.ts'
import type { Span } from './layer.ts'
import { addSecret, createSecretIndex, shortestInText } from './secret-index.ts'

/** Hides known values in texts. No method throws, and no result quotes what is hidden. */
export interface Masking {
  text(text: string): string
  /** Does the same for every text, number and name inside a value. */
  value(value: JsonValue, options?: MaskOptions): JsonValue
  /** The parts of a text to hide, in order and without overlap. */
  secretsIn(text: string): readonly Span[]
  /** How many characters, or bytes, one hidden value takes at most in its longest form. */
  reach(): number
}

/** How a value is masked. */
export interface MaskOptions {
  /** Receives the path of a value in which something was hidden. */
  readonly onMasked?: (path: JsonPath) => void
  /** Names of fields that are shown although they hold a hidden value: later steps read the fields by them. */
  readonly names?: ReadonlySet<string>
}

/** Hides known values in every usual encoding. */
export interface Mask extends Masking {
  /** Hides this value from now on. The cost does not depend on the number of known values. */
  hide(secret: string): void
  /** Hides more, for messages of errors: also the first characters of a secret. */
  readonly inErrors: Masking
  /** Whether a value, given as JSON, may hold anything to hide. */
  isInJson(text: string): boolean
}

/** Replaces a secret in what is recorded, sent or thrown. */
export const secretMark = '***'
/** Replaces a value that is not shown to a person. */
export const hiddenMark = '(masked)'
/** Nothing that is looked for takes more characters for one. */
const longestForm = 12

/** A mask that knows these secrets from the start. */
export function createMask(secrets: readonly string[] = [], mark: string = hiddenMark): Mask {
  const index = createSecretIndex()
  const isEmpty = (): boolean => index.shortSecrets.size + index.whole.size === 0
  const hide = (secret: string): void => {
    if (secret !== '') addSecret(index, secret)
  }
  for (const secret of secrets) hide(secret)
  const spansIn = (text: string, isError: boolean): readonly Span[] => {
    if (isEmpty()) return []
    return text.length < shortestInText && index.shortSecrets.has(text.toLowerCase())
      ? [{ start: 0, end: text.length }]
      : findSecrets(text, index, isError)
  }
  // In JSON a secret can be written with escapes, and a sign before it can be part of one: then each text is searched.
  const isInJson = (text: string, isError: boolean): boolean =>
    !isEmpty() && (index.shortSecrets.size > 0 || /[\\%&]/.test(text) || spansIn(text, isError).length > 0)
  const masking = (isError: boolean): Masking => {
    const text = (given: string): string => {
      let shown = ''
      let from = 0
      for (const { start, end } of spansIn(given, isError)) {
        shown += given.slice(from, start) + mark
        from = end
      }
      return from === 0 ? given : shown + given.slice(from)
    }
    return {
      text,
      value: (value, { onMasked = () => {}, names = new Set<string>() } = {}) => {
        // One search in all of it, which nearly always finds nothing, costs less than one in each of its texts.
        if (isEmpty() || !isInJson(JSON.stringify(value), isError)) return value
        const maskOne = (given: string, path: JsonPath): string => {
          const masked = text(given)
          if (masked !== given) onMasked(path)
          return masked
        }
        return mapJson(
          value,
          (leaf, path) => {
            if (typeof leaf === 'string') return maskOne(leaf, path)
            return typeof leaf === 'number' && maskOne(String(leaf), path) !== String(leaf) ? mark : leaf
          },
          (name, path) => (names.has(name) ? name : maskOne(name, path)),
        )
      },
      secretsIn: (given) => spansIn(given, isError),
      reach: () => longestForm * index.longest,
    }
  }
  return { ...masking(false), inErrors: masking(true), hide, isInJson: (text) => isInJson(text, false) }
}
