/** The two fields that place an event in its session. */
export interface SkimmedLine {
  readonly kind: string
  readonly seq: number
}

/**
 * Reads `type` and `seq` off the beginning of an event line, without parsing the rest. `undefined` where that is not
 * safe: only plain texts and digits may come before the two, so what is nested in a payload is never mistaken for
 * them. What it returns holds until the next call.
 */
export type LineSkimmer = (bytes: Uint8Array, start: number, end: number) => SkimmedLine | undefined

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
const maxKnownBytes = 256

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

/** Most lines of a record begin like the line before, up to the digits of `seq`: that much is only compared. */
export function createLineSkimmer(): LineSkimmer {
  const line = { kind: '', seq: 0 }
  const known = new Uint8Array(maxKnownBytes)
  let knownBytes = 0

  const isKnown = (bytes: Uint8Array, start: number): boolean => {
    for (let index = 0; index < knownBytes; index++) if (bytes[start + index] !== known[index]) return false
    return knownBytes > 0
  }

  return (bytes, start, end) => {
    if (isKnown(bytes, start)) {
      const digits = start + knownBytes
      const last = digitsEnd(bytes, digits, end)
      if (last === -1) return undefined
      line.seq = numberAt(bytes, digits, last)
      return line
    }
    knownBytes = 0
    const digits = skimLine(bytes, start, end, line)
    if (digits === -1) return undefined
    if (digits > start && digits - start <= maxKnownBytes) {
      knownBytes = digits - start
      known.set(bytes.subarray(start, digits))
    }
    return line
  }
}

/**
 * Puts what it finds into `line`. Returns where the digits of `seq` begin if everything up to them decides what a line
 * is, 0 where they came first, and -1 where the line is not safe to skim.
 */
function skimLine(
  bytes: Uint8Array,
  start: number,
  end: number,
  line: { kind: string; seq: number },
): number {
  if (bytes[start] !== openBrace) return -1
  let hasKind = false
  let hasSeq = false
  let at = start + 1
  while (bytes[at] === quote) {
    const name = at + 1
    const nameEnd = plainTextEnd(bytes, name, end)
    if (nameEnd === -1 || bytes[nameEnd + 1] !== colon) return -1
    at = nameEnd + 2
    if (bytes[at] === space) at++
    const value = at
    if (bytes[at] === quote) {
      const valueEnd = plainTextEnd(bytes, value + 1, end)
      if (valueEnd === -1 || valueEnd - value > maxTextBytes) return -1
      if (isText(bytes, name, nameEnd, 'type')) {
        line.kind = kindAt(bytes, value + 1, valueEnd)
        hasKind = true
      }
      at = valueEnd + 1
    } else {
      at = digitsEnd(bytes, value, end)
      if (at === -1) return -1
      if (isText(bytes, name, nameEnd, 'seq')) {
        line.seq = numberAt(bytes, value, at)
        if (hasKind) return value
        hasSeq = true
      }
    }
    if (hasKind && hasSeq) return 0
    if (bytes[at] !== comma) return -1
    at++
    if (bytes[at] === space) at++
  }
  return -1
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
