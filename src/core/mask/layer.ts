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
  /** How it was written, where that is not how it is. */
  readonly written?: {
    readonly codes: Uint16Array
    /** Where each character, without what was left out, begins and ends in it. */
    readonly begins: Int32Array
    readonly ends: Int32Array
  }
}

/** The text as it is. */
export function layerOf(text: string): Layer {
  const codes = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at)
  return { codes, sourceOf: (start, end) => ({ start, end }) }
}

/** Whether something was left out before this character, such as a line break. */
export function isBroken({ written }: Layer, at: number): boolean {
  return written !== undefined && at > 0 && written.ends[at - 1] !== written.begins[at]
}

/** Whether this character was written as an escape. */
export function isEscape({ written }: Layer, at: number): boolean {
  return written !== undefined && (written.ends[at] ?? 0) - (written.begins[at] ?? 0) > 1
}

/** The text of these codes. */
export function textOf(codes: Uint16Array, start = 0, end: number = codes.length): string {
  let text = ''
  for (let at = Math.max(start, 0); at < Math.min(end, codes.length); at++)
    text += String.fromCharCode(codes[at] as number)
  return text
}
