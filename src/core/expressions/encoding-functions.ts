import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import type { JsonObject, JsonValue } from '../json.ts'
import type { ExpressionFunction, Parameter } from './function.ts'
import { convert, fail, type Machine, make, stepsForAField, work } from './machine.ts'
import { nameKind, textType } from './value-type.ts'

/** What the one block of bytes that a hash works on at least counts as. */
const stepsForABlock = 30

const text: Parameter = { name: 'text', kinds: ['text'] }

/** Functions that write texts for other programs. A text counts as its bytes in UTF-8: JSON has no bytes. */
export const encodingFunctions: readonly ExpressionFunction[] = [
  {
    name: 'base64',
    parameters: [text],
    result: textType,
    summary: 'The text in Base64.',
    example: "base64('é') == 'w6k='",
    evaluate: ([subject], machine) => {
      look(machine, subject as string)
      return base64.encode(utf8ToBytes(subject as string))
    },
  },
  {
    name: 'fromBase64',
    parameters: [{ ...text, check: (value) => problemOf(readBase64(value as string)) }],
    result: textType,
    summary:
      'The text that a Base64 text stands for. Both alphabets are read, also without padding and with line breaks.',
    example: "fromBase64('w6k') == 'é'",
    evaluate: ([subject], machine) => {
      look(machine, subject as string)
      // Its bytes become characters by way of a part of a URL.
      convert(machine, (subject as string).length)
      const read = readBase64(subject as string)
      return 'problem' in read ? fail(machine, machine.at, read.problem) : read.text
    },
  },
  {
    name: 'urlEncode',
    parameters: [text],
    result: textType,
    summary: 'The text as one part of a URL: everything but letters, digits and `-._~` percent-encoded.',
    example: "urlEncode('a b/c') == 'a%20b%2Fc'",
    evaluate: ([subject], machine) => {
      look(machine, subject as string)
      return percentEncode(subject as string)
    },
  },
  {
    name: 'urlDecode',
    parameters: [{ ...text, check: (value) => problemOf(percentDecode(value as string)) }],
    result: textType,
    summary: 'The text that a part of a URL stands for. In a form, replace "+" by "%20" before.',
    example: "urlDecode('a%20b%2Fc') == 'a b/c'",
    evaluate: ([subject], machine) => {
      look(machine, subject as string)
      const read = percentDecode(subject as string)
      return 'problem' in read ? fail(machine, machine.at, read.problem) : read.text
    },
  },
  {
    name: 'formEncode',
    parameters: [{ name: 'map', kinds: ['map'] }],
    result: textType,
    summary:
      'A map as the body of an HTML form. A list names its field once for each item; null leaves it out.',
    example: "formEncode({'q': 'a b', 'tag': ['x', 'y'], 'page': null}) == 'q=a+b&tag=x&tag=y'",
    evaluate: ([fields], machine) => formEncode(machine, fields as JsonObject),
  },
  {
    name: 'sha256',
    parameters: [text],
    result: textType,
    summary: 'The SHA-256 hash of the text, as 64 hexadecimal digits.',
    example: "sha256('abc').startsWith('ba7816bf')",
    evaluate: ([subject], machine) => {
      look(machine, subject as string)
      work(machine, stepsForABlock)
      return bytesToHex(sha256(utf8ToBytes(subject as string)))
    },
  },
]

/** Each character becomes bytes, and those are written anew. */
function look(machine: Machine, subject: string): void {
  convert(machine, subject.length)
  make(machine, subject.length * 2)
}

function problemOf(read: { readonly text: string } | { readonly problem: string }): string | undefined {
  return 'problem' in read ? read.problem : undefined
}

function readBase64(written: string): { readonly text: string } | { readonly problem: string } {
  const digits = written
    .replaceAll(/[\t\n\r ]/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  const bare = digits.replace(/={1,2}$/, '')
  let bytes: Uint8Array
  try {
    bytes = base64.decode(bare.padEnd(Math.ceil(bare.length / 4) * 4, '='))
  } catch {
    const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written
    return { problem: `${JSON.stringify(shown)} is no Base64` }
  }
  try {
    return { text: decodeURIComponent(bytesToHex(bytes).replaceAll(/../g, '%$&')) }
  } catch {
    return { problem: 'the bytes that the Base64 stands for are no text in UTF-8' }
  }
}

/** As RFC 3986 has it; half a character, which no URL can hold, becomes the sign for an unknown one. */
function percentEncode(part: string): string {
  return encodeURIComponent(part.replaceAll(/\p{Surrogate}/gu, '\uFFFD'))
    .replaceAll('!', '%21')
    .replaceAll("'", '%27')
    .replaceAll('(', '%28')
    .replaceAll(')', '%29')
    .replaceAll('*', '%2A')
}

function percentDecode(part: string): { readonly text: string } | { readonly problem: string } {
  try {
    return { text: decodeURIComponent(part) }
  } catch {
    return { problem: 'a "%" of the text is not followed by the two digits of a byte of UTF-8' }
  }
}

function formEncode(machine: Machine, fields: JsonObject): string {
  const entries = Object.entries(fields)
  work(machine, entries.length * stepsForAField)
  const pairs = entries.flatMap(([name, value]) => {
    const values = Array.isArray(value) ? (value as readonly JsonValue[]) : value === null ? [] : [value]
    return values.map(
      (one) => `${formPart(machine, name)}=${formPart(machine, fieldText(machine, name, one))}`,
    )
  })
  return pairs.join('&')
}

function fieldText(machine: Machine, name: string, value: JsonValue): string {
  if (typeof value !== 'object') return String(value)
  return fail(
    machine,
    machine.at,
    `a field of a form is a text, a number, or true or false, and ${JSON.stringify(name)} is ${nameKind(value)}`,
  )
}

function formPart(machine: Machine, part: string): string {
  look(machine, part)
  return percentEncode(part).replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E')
}
