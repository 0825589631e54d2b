/** A part of a text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A text to search, and the part of the first text that a part of it was written as. */
export interface Layer {
  readonly text: string
  sourceOf(start: number, end: number): Span
}

/** More characters at a time are too many arguments. */
const chunk = 8192

/** The text of these units. */
export function textOf(units: Uint8Array | Uint16Array): string {
  let text = ''
  for (let at = 0; at < units.length; at += chunk)
    text += Reflect.apply(String.fromCharCode, undefined, units.subarray(at, at + chunk))
  return text
}
