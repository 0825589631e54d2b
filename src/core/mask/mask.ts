/**
 * Hides secrets, and values that actions mark as sensitive, wherever text leaves the process: the log, the terminal,
 * the journal, reports, messages, answers and errors all pass through here.
 */
import { isJsonObject, type JsonValue } from '../json.ts'
import { findSecrets, type SearchOptions } from './find-secrets.ts'
import { createSecretIndex, type Span } from './secret-index.ts'

/** Hides known values in texts. No method throws, and no result quotes what is hidden. */
export interface Masking {
  text(text: string): string
  /** Does the same for every text and number inside a value. `onMasked` receives the path of each hidden one. */
  value(value: JsonValue, onMasked?: OnMasked): JsonValue
  /** The parts of a text to hide, in order and without overlap; the whole text where it cannot be searched. */
  secretsIn(text: string): readonly Span[]
}

/** Receives the path of a value in which something was hidden. */
export type OnMasked = (path: readonly (string | number)[]) => void

/** Hides known values in every usual encoding. */
export interface Mask extends Masking {
  /** Hides this value from now on. The cost does not depend on the number of known values. */
  hide(secret: string): void
  /** Hides more, for messages of errors: also the first characters of a secret. */
  readonly inErrors: Masking
  /** Whether a value, given as JSON, holds anything to hide. */
  isInJson(text: string): boolean
}

/** Replaces a secret in what is recorded, sent or thrown. */
export const secretMark = '***'
/** Replaces a value that is not shown to a person. */
const hiddenMark = '(masked)'
/** Replaces a whole text or value that cannot be searched. */
export const notShown = '(not shown: it could not be searched for secrets)'

/** Three encodings can be nested, such as base64 in an address in JSON. */
const depth = 3

/** A mask that knows these secrets from the start. */
export function createMask(secrets: readonly string[] = [], mark: string = hiddenMark): Mask {
  const index = createSecretIndex()
  let isEmpty = true
  let isBroken = false

  const hide = (secret: string): void => {
    if (secret === '') return
    isEmpty = false
    try {
      index.add(secret)
    } catch {
      isBroken = true
    }
  }
  const spansIn = (text: string, options: SearchOptions): readonly Span[] =>
    index.isShortSecret(text) ? [{ start: 0, end: text.length }] : findSecrets(text, index, options)
  const maskText = (text: string, options: SearchOptions): string => {
    let shown = ''
    let from = 0
    for (const { start, end } of spansIn(text, options)) {
      shown += text.slice(from, start) + mark
      from = end
    }
    return from === 0 ? text : shown + text.slice(from)
  }
  const guarded = <T>(given: T, instead: T, search: () => T): T => {
    if (isEmpty) return given
    if (isBroken) return instead
    try {
      return search()
    } catch {
      return instead
    }
  }
  for (const secret of secrets) hide(secret)
  /** JSON is one encoding more. */
  const isInJson = (text: string, isError: boolean): boolean =>
    guarded(
      false,
      true,
      () => index.hasShortSecrets() || findSecrets(text, index, { isError, depth: depth + 1 }).length > 0,
    )
  const masking = (isError: boolean): Masking => {
    const options = { isError, depth }
    const text = (given: string): string => guarded(given, notShown, () => maskText(given, options))
    return {
      text,
      value: (value, onMasked = () => {}) =>
        guarded(value, notShown, () =>
          // One search in all of it, which nearly always finds nothing, costs less than one in each of its texts.
          isInJson(JSON.stringify(value), isError)
            ? maskedValue(value, { text, mark, path: [], onMasked })
            : value,
        ),
      secretsIn: (given) =>
        guarded<readonly Span[]>([], [{ start: 0, end: given.length }], () => spansIn(given, options)),
    }
  }
  return { ...masking(false), inErrors: masking(true), hide, isInJson: (text) => isInJson(text, false) }
}

interface Walk {
  readonly text: (text: string) => string
  readonly mark: string
  /** Where the value stands. */
  readonly path: (string | number)[]
  readonly onMasked: OnMasked
}

function maskedValue(value: JsonValue, walk: Walk): JsonValue {
  const { text, mark, path, onMasked } = walk
  const maskOne = (given: string): string => {
    const masked = text(given)
    if (masked !== given) onMasked([...path])
    return masked
  }
  const maskMember = (name: string | number, member: JsonValue): JsonValue => {
    path.push(name)
    const masked = maskedValue(member, walk)
    path.pop()
    return masked
  }
  if (typeof value === 'string') return maskOne(value)
  if (typeof value === 'number') return maskOne(String(value)) === String(value) ? value : mark
  if (Array.isArray(value)) return value.map((item, at) => maskMember(at, item))
  if (!isJsonObject(value)) return value
  // Not by assignment, which would set the prototype where the field is called `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [maskOne(name), maskMember(name, member)]),
  )
}
