import { weekdayOfCalendar, writeCalendar } from './calendar.ts'

/** The days and times that a cron expression names: five fields, as crontab has them. */
export interface Cron {
  /** Minutes since midnight, in order. */
  readonly times: readonly number[]
  /** Whether it names the day of this Unix time in milliseconds, on the calendar of UTC. */
  isDay(ms: number): boolean
  /** The fields in numbers alone, which all libraries and servers read in the same way. */
  readonly fields: CronFields
  /** Both days are limited: either is enough, as crontab has it. Libraries and servers differ there. */
  readonly isEitherDay: boolean
}

/** Each field as a list of numbers with commas between, or `*`. Sunday is 0. */
export interface CronFields {
  readonly minute: string
  readonly hour: string
  readonly day: string
  readonly month: string
  readonly weekday: string
}

interface Field {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly words?: readonly string[]
}

const fieldsInOrder: readonly Field[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of month', from: 1, to: 31 },
  {
    name: 'month',
    from: 1,
    to: 12,
    words: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'day of week', from: 0, to: 7, words: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
]

/** Why a text is no cron expression, and the part of it that is wrong. */
export interface CronProblem {
  readonly message: string
  readonly hint?: string
  readonly start: number
  readonly end: number
}

/** Reads a cron expression that the loader has checked. */
export function checkedCron(text: string): Cron {
  const read = parseCron(text)
  if ('problem' in read) throw new Error(`"${text}" is no cron expression: ${read.problem.message}`)
  return read
}

/** Reads a cron expression. */
export function parseCron(text: string): Cron | { readonly problem: CronProblem } {
  const words = [...text.matchAll(/\S+/g)]
  if (words.length !== fieldsInOrder.length) return { problem: explainCount(text, words.length) }
  const sets: (readonly number[])[] = []
  for (const [index, field] of fieldsInOrder.entries()) {
    const word = words[index]?.[0] ?? ''
    const set = parseField(word, field)
    if (typeof set !== 'string') {
      sets.push(set)
      continue
    }
    const start = words[index]?.index ?? 0
    return { problem: { message: set, start, end: start + word.length } }
  }
  const cron = toCron(
    words.map(([word]) => word),
    sets,
  )
  const never = { message: 'no date of any year fits', start: 0, end: text.length }
  return hasDay(cron) ? cron : { problem: never }
}

function explainCount(text: string, count: number): CronProblem {
  const message = `a cron expression has five fields, and this one ${count}`
  const order = 'minute, hour, day of month, month, day of week'
  const hint = text.trim().startsWith('@')
    ? 'such as 0 8 * * 1-5, or every: 1h'
    : count === 6
      ? `seconds are not among them: ${order}`
      : `${order}: such as 0 8 * * 1-5`
  return { message, hint, start: 0, end: text.length }
}

/** The numbers of a field, in order, or what is wrong with it. */
function parseField(word: string, field: Field): readonly number[] | string {
  const numbers = new Set<number>()
  for (const part of word.split(',')) {
    const problem = addPart(part.toLowerCase(), field, numbers)
    if (problem !== undefined) return `${field.name}: ${problem}`
  }
  return [...numbers].sort((a, b) => a - b)
}

const partPattern = /^(?:\*|([a-z]{3}|\d{1,2})(?:-([a-z]{3}|\d{1,2}))?)(?:\/(\d{1,2}))?$/

/** One of `*`, `5`, `1-5`, `mon-fri`, each with a step such as `/2` after it. */
function addPart(part: string, field: Field, numbers: Set<number>): string | undefined {
  const match = partPattern.exec(part)
  if (!match) return `"${part}" is none of *, a number, a range such as 1-5, a step such as */15`
  const [, first, last, step] = match
  const from = first === undefined ? field.from : numberOf(first, field)
  // `5/15` counts from 5 to the end.
  const isOpen = first === undefined || (last === undefined && step !== undefined)
  const to = isOpen ? field.to : numberOf(last ?? first, field)
  if (from === undefined || to === undefined) return `"${part}" is not between ${field.from} and ${field.to}`
  if (from > to) return `"${part}" ends before it begins`
  const by = Number(step ?? 1)
  if (by === 0) return 'a step is at least 1'
  if (by > field.to - field.from) return `a step of ${by} is longer than all of ${field.from} to ${field.to}`
  // Sunday is 0 and 7.
  for (let number = from; number <= to; number += by) numbers.add(field.to === 7 ? number % 7 : number)
  return undefined
}

function numberOf(text: string | undefined, { from, to, words }: Field): number | undefined {
  const word = words?.indexOf(text ?? '') ?? -1
  const number = word >= 0 ? word + (from === 1 ? 1 : 0) : Number(text)
  return Number.isInteger(number) && number >= from && number <= to ? number : undefined
}

function toCron(words: readonly string[], sets: readonly (readonly number[])[]): Cron {
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = sets
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = words.map((word, index) =>
    word === '*' ? word : (sets[index] ?? []).join(','),
  )
  // `*/2` is no limit in this sense.
  const isEitherDay = words[2]?.startsWith('*') === false && words[4]?.startsWith('*') === false
  return {
    times: hours.flatMap((atHour) => minutes.map((atMinute) => atHour * 60 + atMinute)),
    isDay(ms) {
      const date = writeCalendar(ms)
      if (!months.includes(date.month)) return false
      const isDate = days.includes(date.day)
      const isWeekday = weekdays.includes(weekdayOfCalendar(ms) % 7)
      return isEitherDay ? isDate || isWeekday : isDate && isWeekday
    },
    fields: { minute, hour, day, month, weekday },
    isEitherDay,
  }
}

const dayMs = 86_400_000
/** In 28 years each date falls on each day of the week, 29 February, too. */
const daysToTry = 28 * 366

function hasDay(cron: Cron): boolean {
  for (let day = 0; day < daysToTry; day++) if (cron.isDay(day * dayMs)) return true
  return false
}
