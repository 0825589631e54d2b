/** A part of a text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A text to search, in UTF-16. */
export interface Layer {
  readonly codes: Uint16Array
  /** The part of the first text that a part of this one was written as. */
  sourceOf(start: number, end: number): Span
  /** Whether something was left out before this character, such as a line break. */
  isBroken(at: number): boolean
  /** Whether it was written as an escape. */
  isEscape(at: number): boolean
}

/** The text as it is. */
export function layerOf(text: string): Layer {
  const codes = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at)
  return { codes, sourceOf: (start, end) => ({ start, end }), isBroken: () => false, isEscape: () => false }
}

/** More characters at a time are too many arguments. */
const chunk = 8192

/** The text of these codes. */
export function textOf(codes: Uint16Array): string {
  let text = ''
  for (let at = 0; at < codes.length; at += chunk)
    text += Reflect.apply(String.fromCharCode, undefined, codes.subarray(at, at + chunk))
  return text
}
