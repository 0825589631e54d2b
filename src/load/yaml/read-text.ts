import { withoutMark } from '../../core/text/index.ts'
/** The text of a runbook, or the first character that makes it none. */
export interface ReadText {
  /** Without the mark of UTF-8 at its beginning. */
  readonly text: string
  /** Size as UTF-8. */
  readonly bytes: number
  readonly problem?: { readonly offset: number; readonly message: string; readonly hint?: string }
}

/**
 * What no text of an author holds: control characters, halves of surrogate pairs, and U+FFFD, which stands where a
 * program read bytes that it did not understand.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const foreign = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd\ufffe\uffff\ud800-\udfff]/u

/** Decodes the content of a file. The same rules apply to text that the caller has decoded. */
export function readText(input: string | Uint8Array): ReadText {
  const isText = typeof input === 'string'
  const decoded = isText ? input : new TextDecoder('utf-8', { ignoreBOM: true }).decode(input)
  const text = withoutMark(decoded)
  const bytes = isText ? Buffer.byteLength(input) : input.byteLength
  const offset = text.search(foreign)
  if (offset < 0) return { text, bytes }
  if (isWide(input)) {
    const message = 'the file is UTF-16 and not UTF-8'
    return { text, bytes, problem: { offset: 0, message, hint: 'save it as UTF-8' } }
  }
  if (text.includes('\0')) {
    const message = 'the file is binary, not text'
    return { text, bytes, problem: { offset, message, hint: 'a runbook is a text file in UTF-8' } }
  }
  return { text, bytes, problem: { offset, message: describe(text, offset) } }
}

/** UTF-16 gives itself away by its mark, or by a zero in every second byte. */
function isWide(input: string | Uint8Array): boolean {
  if (typeof input === 'string') return /^(\ufffd\ufffd|\0[^\0]\0[^\0]|[^\0]\0[^\0]\0)/.test(input)
  const [first = 0, second = 0, third = 0, fourth = 0] = input
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  const isEverySecondZero = (first === 0 && third === 0) !== (second === 0 && fourth === 0)
  return isMarked || (input.length > 3 && isEverySecondZero)
}

function describe(text: string, offset: number): string {
  const code = text.charCodeAt(offset)
  if (code === 0xfffd) return 'the file is not UTF-8: some bytes here are no character'
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  return code >= 0xd800 && code <= 0xdfff
    ? `${name} is half of a character`
    : `the file holds the control character ${name}`
}
