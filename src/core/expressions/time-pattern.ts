/** How a time is written: the letters of Unicode's date patterns, always with English names. */
import { nearest } from '../text/nearest.ts'
import { type CalendarTime, readCalendar, weekdayOfCalendar, writeCalendar } from '../times/calendar.ts'

/** Some letters of a pattern, and what they stand for. */
export interface PatternLetters {
  readonly letters: string
  readonly meaning: string
  readonly example: string
  readonly write: (time: LocalTime) => string
  /** What a text has at this place. */
  readonly pattern: string
  /** What that says of the time. */
  readonly read: (text: string) => ReadPart
}

interface LocalTime extends CalendarTime {
  readonly weekday: number
  readonly offsetMs: number
}

type ReadPart = { [Field in keyof CalendarTime]?: number } & { offsetMs?: number; isAfternoon?: boolean }

const months = 'January February March April May June July August September October November December'
const monthNames = months.split(' ')
const dayNames = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ')
const short = (name: string): string => name.slice(0, 3)

export const patternLetters: readonly PatternLetters[] = [
  digits('yyyy', 4, 'year', 'the year', '2026'),
  digits('MM', 2, 'month', 'the month', '07'),
  digits('M', 1, 'month', 'the month', '7'),
  ofNames('MMM', monthNames.map(short), 'the month', ({ month }) => month, 'month'),
  ofNames('MMMM', monthNames, 'the month', ({ month }) => month, 'month'),
  digits('dd', 2, 'day', 'the day of the month', '05'),
  digits('d', 1, 'day', 'the day of the month', '5'),
  ofNames('EEE', dayNames.map(short), 'the day of the week', ({ weekday }) => weekday),
  ofNames('EEEE', dayNames, 'the day of the week', ({ weekday }) => weekday),
  digits('HH', 2, 'hour', 'the hour, 00 to 23', '08'),
  digits('H', 1, 'hour', 'the hour, 0 to 23', '8'),
  { ...digits('hh', 2, 'hour', 'the hour, 01 to 12', '08'), write: ({ hour }) => fill(hour % 12 || 12, 2) },
  { ...digits('h', 1, 'hour', 'the hour, 1 to 12', '8'), write: ({ hour }) => String(hour % 12 || 12) },
  {
    letters: 'a',
    meaning: 'the half of the day',
    example: 'AM',
    write: ({ hour }) => (hour < 12 ? 'AM' : 'PM'),
    pattern: '[AaPp][Mm]',
    read: (text) => ({ isAfternoon: text.toLowerCase() === 'pm' }),
  },
  digits('mm', 2, 'minute', 'the minute', '30'),
  digits('m', 1, 'minute', 'the minute', '5'),
  digits('ss', 2, 'second', 'the second', '09'),
  digits('s', 1, 'second', 'the second', '9'),
  digits('SSS', 3, 'millisecond', 'the milliseconds', '125'),
  {
    letters: 'XXX',
    meaning: 'the offset to UTC',
    example: '+02:00',
    write: ({ offsetMs }) => writeOffset(offsetMs),
    pattern: '(?:Z|[+-]\\d\\d:?\\d\\d)',
    read: (text) => ({ offsetMs: readOffset(text) }),
  },
]

function digits(
  letters: string,
  count: number,
  field: keyof CalendarTime,
  meaning: string,
  example: string,
): PatternLetters {
  return {
    letters,
    meaning,
    example,
    write: (time) => fill(time[field], count),
    pattern: count === 1 ? '\\d{1,2}' : `\\d{${count}}`,
    read: (text) => ({ [field]: Number(text) }),
  }
}

function ofNames(
  letters: string,
  names: readonly string[],
  meaning: string,
  numberOf: (time: LocalTime) => number,
  field?: keyof CalendarTime,
): PatternLetters {
  const positionOf = (text: string): number =>
    names.findIndex((name) => name.toLowerCase() === text.toLowerCase()) + 1
  return {
    letters,
    meaning,
    example: names[0] ?? '',
    write: (time) => names[numberOf(time) - 1] ?? '',
    pattern: `(?:${names.join('|')})`,
    read: (text) => (field === undefined ? {} : { [field]: positionOf(text) }),
  }
}

function fill(value: number, count: number): string {
  return String(value).padStart(count, '0')
}

function writeOffset(offsetMs: number): string {
  if (offsetMs === 0) return 'Z'
  const minutes = Math.floor(Math.abs(offsetMs) / 60_000)
  return `${offsetMs < 0 ? '-' : '+'}${fill(Math.floor(minutes / 60), 2)}:${fill(minutes % 60, 2)}`
}

function readOffset(text: string): number {
  const minutes = text === 'Z' ? 0 : Number(text.slice(1, 3)) * 60 + Number(text.slice(-2))
  return minutes * 60_000 * (text.startsWith('-') ? -1 : 1)
}

type Part = string | PatternLetters

const maxPattern = 200

/** The parts of a pattern, or why it is none. Text is written in quotes: `'at' HH:mm`. */
function partsOf(pattern: string): readonly Part[] | { readonly problem: string } {
  if (pattern.length > maxPattern) return { problem: `a time pattern has at most ${maxPattern} characters` }
  const parts: Part[] = []
  for (const match of pattern.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+|'/g)) {
    const [piece, quoted, letter] = match
    if (quoted !== undefined) parts.push(quoted === '' ? "'" : quoted.replaceAll("''", "'"))
    else if (piece === "'") return { problem: `the time pattern "${pattern}" has no closing quote` }
    else if (letter === undefined) parts.push(piece)
    else {
      const known = patternLetters.find(({ letters }) => letters === piece)
      if (!known) return { problem: unknownLetters(piece) }
      parts.push(known)
    }
  }
  return parts
}

function unknownLetters(piece: string): string {
  const all = patternLetters.map(({ letters }) => letters)
  const near =
    all.find((letters) => letters.toLowerCase() === piece.toLowerCase()) ??
    (piece.length > 4 ? undefined : nearest(piece, all))
  const help =
    near === undefined ? `known: ${all.join(', ')}; text is written in quotes` : `did you mean "${near}"?`
  return `a time pattern has no letters "${piece}"; ${help}`
}

/** What is wrong with a pattern; `isRead`: it must say which day it is. */
export function timePatternProblem(pattern: string, isRead = false): string | undefined {
  const parts = partsOf(pattern)
  if ('problem' in parts) return parts.problem
  const letters = new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [part.letters])))
  const has = (...some: readonly string[]): boolean => some.some((one) => letters.has(one))
  const hasMonth = has('MM', 'M', 'MMM', 'MMMM')
  if (has('mm') && !has('HH', 'H', 'hh', 'h') && has('yyyy', 'dd', 'd') && !hasMonth)
    return `"mm" are minutes, and the pattern "${pattern}" has no hour; months are "MM"`
  if (has('HH', 'H', 'hh', 'h') && has('MM') && !has('mm', 'yyyy', 'dd', 'd'))
    return `"MM" is the month, and the pattern "${pattern}" has no day; minutes are "mm"`
  if (has('hh', 'h') && !has('a'))
    return `"hh" counts to 12 in the pattern "${pattern}"; add "a", or use "HH"`
  const isDay = has('yyyy') && hasMonth && has('dd', 'd')
  return isRead && !isDay
    ? `the pattern "${pattern}" needs a year, a month and a day to read a time`
    : undefined
}

/** A time as the pattern writes it; the pattern has no problem. */
export function writePattern(pattern: string, ms: number, offsetMs: number): string {
  const parts = partsOf(pattern)
  if ('problem' in parts) return pattern
  const localMs = ms + offsetMs
  const time = { ...writeCalendar(localMs), weekday: weekdayOfCalendar(localMs), offsetMs }
  return parts.map((part) => (typeof part === 'string' ? part : part.write(time))).join('')
}

/** What a text says in the form of a pattern: a local time as if it were UTC, and its offset where it names one. */
export function readPatternTime(
  text: string,
  pattern: string,
): { readonly localMs: number; readonly offsetMs: number | undefined } | undefined {
  const parts = partsOf(pattern)
  if ('problem' in parts) return undefined
  const found: ReadPart = {}
  let at = 0
  for (const part of parts) {
    if (typeof part === 'string') {
      if (!text.startsWith(part, at)) return undefined
      at += part.length
      continue
    }
    const expression = new RegExp(part.pattern, 'iy')
    expression.lastIndex = at
    const [piece] = expression.exec(text) ?? []
    if (piece === undefined) return undefined
    at += piece.length
    Object.assign(found, part.read(piece))
  }
  return at === text.length ? localTimeOf(found) : undefined
}

function localTimeOf(
  found: ReadPart,
): { readonly localMs: number; readonly offsetMs: number | undefined } | undefined {
  const {
    year = 0,
    month = 1,
    day = 1,
    minute = 0,
    second = 0,
    millisecond = 0,
    offsetMs,
    isAfternoon,
  } = found
  const { hour: written = 0 } = found
  const isHalf = isAfternoon !== undefined && (written < 1 || written > 12)
  if (isHalf) return undefined
  const hour = isAfternoon === undefined ? written : (written % 12) + (isAfternoon ? 12 : 0)
  const localMs = readCalendar({ year, month, day, hour, minute, second, millisecond })
  return localMs === undefined ? undefined : { localMs, offsetMs }
}
