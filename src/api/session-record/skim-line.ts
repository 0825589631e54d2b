/** The two fields that place an event in its session. */
export interface SkimmedLine {
  readonly kind: string
  readonly seq: number
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const space = 0x20
const tab = 0x09
const carriageReturn = 0x0d
const openBrace = 0x7b
const closeBrace = 0x7d
const zero = 0x30
/** Longer texts are payload. */
const maxTextBytes = 100
const maxDigits = 15

/** The usual kinds, so that no text is made for them. */
const usualKinds: readonly string[] = [
  'tool_call',
  'llm_call',
  'agent_text',
  'user_message',
  'final_answer',
  'subagent_dispatch',
]

/** Whether a line ends as an object does. */
export function endsAsObject(bytes: Uint8Array, start: number, end: number): boolean {
  let last = end - 1
  while (last > start && (bytes[last] === space || bytes[last] === carriageReturn || bytes[last] === tab))
    last--
  return bytes[last] === closeBrace
}

/**
 * Reads `type` and `seq` off the beginning of an event line, without parsing the rest. `undefined` where that is not
 * safe: only plain texts and digits may come before the two, so what is nested in a payload is never mistaken for
 * them.
 */
export function skimLine(bytes: Uint8Array, start: number, end: number): SkimmedLine | undefined {
  if (bytes[start] !== openBrace) return undefined
  let kind: string | undefined
  let seq: number | undefined
  let at = start + 1
  while (bytes[at] === quote) {
    const name = at + 1
    const nameEnd = plainTextEnd(bytes, name, end)
    if (nameEnd === -1 || bytes[nameEnd + 1] !== colon) return undefined
    at = nameEnd + 2
    if (bytes[at] === space) at++
    const value = at
    if (bytes[at] === quote) {
      const valueEnd = plainTextEnd(bytes, value + 1, end)
      if (valueEnd === -1 || valueEnd - value > maxTextBytes) return undefined
      if (isText(bytes, name, nameEnd, 'type')) kind = kindAt(bytes, value + 1, valueEnd)
      at = valueEnd + 1
    } else {
      at = digitsEnd(bytes, value, end)
      if (at === -1) return undefined
      if (isText(bytes, name, nameEnd, 'seq')) seq = numberAt(bytes, value, at)
    }
    if (kind !== undefined && seq !== undefined) return { kind, seq }
    if (bytes[at] !== comma) return undefined
    at++
    if (bytes[at] === space) at++
  }
  return undefined
}

/** Where the closing quote is; -1 where an escape or anything but ASCII makes the text less than plain. */
function plainTextEnd(bytes: Uint8Array, start: number, limit: number): number {
  for (let at = start; at < limit; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) return at
    if (byte === backslash || byte < space || byte > 0x7e) return -1
  }
  return -1
}

/** Where a run of digits ends; -1 where it is no such run, or too long for a number to hold. */
function digitsEnd(bytes: Uint8Array, start: number, limit: number): number {
  let at = start
  while (at < limit && isDigit(bytes[at])) at++
  const length = at - start
  const isNumber = length === 1 || (length > 1 && length <= maxDigits && bytes[start] !== zero)
  return isNumber && (bytes[at] === comma || bytes[at] === closeBrace) ? at : -1
}

function numberAt(bytes: Uint8Array, start: number, end: number): number {
  let number = 0
  for (let at = start; at < end; at++) number = number * 10 + ((bytes[at] ?? zero) - zero)
  return number
}

function kindAt(bytes: Uint8Array, start: number, end: number): string {
  for (const kind of usualKinds) if (isText(bytes, start, end, kind)) return kind
  return String.fromCharCode(...bytes.subarray(start, end))
}

function isText(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false
  for (let index = 0; index < text.length; index++) {
    if (bytes[start + index] !== text.charCodeAt(index)) return false
  }
  return true
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= 0x39
}
