import type { JsonValue } from '../json.ts'
import { createFinder, indexIn, lastIndexIn } from './find-part.ts'
import type { ExpressionFunction, Parameter } from './function.ts'
import { fail, itemSize, type Machine, make, scan } from './machine.ts'
import { type Kind, listOf, numberType, textType, truth } from './value-type.ts'

const kinds: readonly Kind[] = ['text']
const text: Parameter = { name: 'text', kinds }
const part: Parameter = { name: 'part', kinds }
const size: Parameter = { name: 'size', kinds: ['number'] }
const fill: Parameter = { name: 'fill', kinds }

/** Functions of texts. Characters are those of Unicode, never halves of them. */
export const textFunctions: readonly ExpressionFunction[] = [
  {
    name: 'startsWith',
    parameters: [text, part],
    result: truth,
    summary: 'Whether a text begins with another.',
    example: "'os.top'.startsWith('os.')",
    evaluate: ([subject, begin], machine) => {
      scan(machine, (begin as string).length)
      return (subject as string).startsWith(begin as string)
    },
  },
  {
    name: 'endsWith',
    parameters: [text, part],
    result: truth,
    summary: 'Whether a text ends with another.',
    example: "'a.ndjson'.endsWith('.ndjson')",
    evaluate: ([subject, end], machine) => {
      scan(machine, (end as string).length)
      return (subject as string).endsWith(end as string)
    },
  },
  {
    name: 'contains',
    parameters: [text, part],
    result: truth,
    summary: 'Whether a text holds another.',
    example: "'web-01'.contains('-')",
    evaluate: ([subject, wanted], machine) => indexIn(machine, subject as string, wanted as string) >= 0,
  },
  {
    name: 'indexOf',
    parameters: [text, part],
    result: numberType,
    summary: 'At which character a text first holds another, counted from 0; -1 where it does not.',
    example: "'web-01'.indexOf('-') == 3",
    evaluate: ([subject, wanted], machine) => {
      const index = indexIn(machine, subject as string, wanted as string)
      return index < 0 ? -1 : countCharacters((subject as string).slice(0, index))
    },
  },
  {
    name: 'lastIndexOf',
    parameters: [text, part],
    result: numberType,
    summary: 'At which character a text last holds another, counted from 0; -1 where it does not.',
    example: "'a/b/c'.lastIndexOf('/') == 3",
    evaluate: ([subject, wanted], machine) => {
      const index = lastIndexIn(machine, subject as string, wanted as string)
      return index < 0 ? -1 : countCharacters((subject as string).slice(0, index))
    },
  },
  {
    name: 'lower',
    parameters: [text],
    result: textType,
    summary: 'The text in lower case.',
    example: "'Web'.lower() == 'web'",
    evaluate: ([subject], machine) => made(machine, subject as string).toLowerCase(),
  },
  {
    name: 'upper',
    parameters: [text],
    result: textType,
    summary: 'The text in upper case.',
    example: "'Web'.upper() == 'WEB'",
    evaluate: ([subject], machine) => made(machine, subject as string).toUpperCase(),
  },
  {
    name: 'trim',
    parameters: [text],
    result: textType,
    summary: 'The text without white space around it.',
    example: "' a '.trim() == 'a'",
    evaluate: ([subject], machine) => trim(made(machine, subject as string)),
  },
  {
    name: 'substring',
    parameters: [text, { name: 'from', kinds: ['number'] }, { name: 'to', kinds: ['number'] }],
    optional: 1,
    result: textType,
    summary: 'The characters from one position to before another, or to the end. Positions count from 0.',
    example: "'web-01'.substring(4) == '01'",
    evaluate: ([subject, from, to], machine) => substring(machine, subject as string, from as number, to),
  },
  {
    name: 'replace',
    parameters: [text, part, { name: 'by', kinds }],
    result: textType,
    summary: 'The text with every occurrence of a part replaced.',
    example: "'a-b-c'.replace('-', '.') == 'a.b.c'",
    evaluate: ([subject, wanted, by], machine) => {
      const parts = split(machine, subject as string, wanted as string)
      make(machine, (subject as string).length + parts.length * (by as string).length)
      const replaced = parts.join(by as string)
      return wanted === '' ? `${by}${replaced}${by}` : replaced
    },
  },
  {
    name: 'split',
    parameters: [text, { name: 'separator', kinds }, { name: 'limit', kinds: ['number'] }],
    optional: 1,
    result: listOf(textType),
    summary:
      'The parts of a text between separators; its characters where the separator is empty. A limit is the largest number of parts; the last one holds the rest.',
    example: "'a,b'.split(',') == ['a', 'b'] && 'a=b=c'.split('=', 2) == ['a', 'b=c']",
    evaluate: ([subject, separator, limit = -1], machine) =>
      split(machine, subject as string, separator as string, limit as number),
  },
  {
    name: 'repeat',
    parameters: [text, { name: 'count', kinds: ['number'] }],
    result: textType,
    summary: 'The text several times, one after the other.',
    example: "'-'.repeat(3) == '---'",
    evaluate: ([subject, count], machine) => repeat(machine, subject as string, count as number),
  },
  {
    name: 'padStart',
    parameters: [text, size, fill],
    optional: 1,
    result: textType,
    summary: 'The text with spaces, or another text, before it, up to a number of characters.',
    example: "padStart('7', 3, '0') == '007'",
    evaluate: ([subject, wanted, by = ' '], machine) =>
      padding(machine, subject as string, wanted as number, by as string) + (subject as string),
  },
  {
    name: 'padEnd',
    parameters: [text, size, fill],
    optional: 1,
    result: textType,
    summary: 'The text with spaces, or another text, after it, up to a number of characters.',
    example: "padEnd('web', 5) == 'web  '",
    evaluate: ([subject, wanted, by = ' '], machine) =>
      (subject as string) + padding(machine, subject as string, wanted as number, by as string),
  },
]

/** Looked through and written anew. */
function made(machine: Machine, subject: string): string {
  make(machine, subject.length)
  return subject
}

/** White space as Unicode has it, which is not quite what JavaScript trims. */
function trim(subject: string): string {
  let start = 0
  let end = subject.length
  while (start < end && isSpace(subject, start)) start++
  while (end > start && isSpace(subject, end - 1)) end--
  return subject.slice(start, end)
}

function isSpace(subject: string, at: number): boolean {
  const character = subject.charAt(at)
  return character === '\u0085' || (character !== '\uFEFF' && character.trim() === '')
}

function split(machine: Machine, subject: string, separator: string, limit = -1): readonly string[] {
  make(machine, subject.length)
  if (!Number.isInteger(limit)) return fail(machine, machine.at, 'a limit must be a whole number')
  const most = limit < 0 ? Number.POSITIVE_INFINITY : limit
  if (most === 0) return []
  if (separator === '') return splitCharacters(machine, subject, most)
  const find = createFinder(machine, subject, separator)
  const parts: string[] = []
  let from = 0
  for (let at = find(subject, 0); at >= 0 && parts.length < most - 1; at = find(subject, from)) {
    make(machine, itemSize)
    parts.push(subject.slice(from, at))
    from = at + separator.length
  }
  parts.push(subject.slice(from))
  return parts
}

function splitCharacters(machine: Machine, subject: string, most: number): readonly string[] {
  make(machine, subject.length * itemSize)
  const characters = [...subject]
  if (characters.length <= most) return characters
  return [...characters.slice(0, most - 1), characters.slice(most - 1).join('')]
}

/** A count that stands for nothing else: as many times, or as many characters. */
function checkCount(machine: Machine, count: number, what: string): void {
  if (Number.isInteger(count) && count >= 0) return
  fail(machine, machine.at, `${what} must be a whole number from 0`)
}

function repeat(machine: Machine, subject: string, count: number): string {
  checkCount(machine, count, 'a count')
  // An empty text counts too: its count could be larger than `repeat` takes.
  make(machine, Math.max(1, subject.length) * count)
  return subject.repeat(count)
}

/** The text that fills another one up to a number of characters. */
function padding(machine: Machine, subject: string, wanted: number, by: string): string {
  checkCount(machine, wanted, 'a size')
  scan(machine, subject.length + by.length)
  if (by === '') return fail(machine, machine.at, 'the text to fill with is empty')
  make(machine, subject.length)
  const missing = wanted - countCharacters(subject)
  if (missing <= 0) return ''
  make(machine, missing * 2 + by.length)
  const filled = by.repeat(Math.ceil(missing / countCharacters(by)))
  return filled.slice(0, unitOf(filled, missing, 0))
}

function substring(machine: Machine, subject: string, from: number, to: JsonValue | undefined): string {
  scan(machine, subject.length)
  const length = countCharacters(subject)
  const end = to === undefined ? length : (to as number)
  for (const position of [from, end]) {
    if (!Number.isInteger(position)) return fail(machine, machine.at, 'a position must be a whole number')
    if (position < 0 || position > length)
      return fail(machine, machine.at, `there is no position ${position} in a text of ${length} characters`)
  }
  if (from > end) return fail(machine, machine.at, `position ${from} is behind position ${end}`)
  make(machine, subject.length)
  if (length === subject.length) return subject.slice(from, end)
  const start = unitOf(subject, from, 0)
  return subject.slice(start, unitOf(subject, end - from, start))
}

/** The position a number of characters behind another one, in UTF-16 units. */
function unitOf(subject: string, characters: number, start: number): number {
  let at = start
  for (let left = characters; left > 0; left--) at += (subject.codePointAt(at) as number) > 0xffff ? 2 : 1
  return at
}

/** The number of characters of a text: a pair of UTF-16 units is one. */
export function countCharacters(subject: string): number {
  let count = subject.length
  for (let at = 0; at < subject.length - 1; at++) {
    const unit = subject.charCodeAt(at)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const next = subject.charCodeAt(at + 1)
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--
      at++
    }
  }
  return count
}
