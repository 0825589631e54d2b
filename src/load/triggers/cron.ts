import type { JsonPath } from '../../core/json.ts'
import { zoneProblem } from '../../core/times/index.ts'
import { checkPositive } from '../compile/check-step-times.ts'
import type { TriggerKeys } from '../runbook-document.ts'
import type { Source } from '../source.ts'

/** The days and times that a cron expression names: five fields, as crontab has them. */
export interface Cron {
  /** Minutes since midnight, in order. */
  readonly times: readonly number[]
  isDay(date: Date): boolean
}

interface Field {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly words?: readonly string[]
}

const fields: readonly Field[] = [
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

/** Reads a cron expression. */
export function parseCron(text: string): Cron | { readonly problem: CronProblem } {
  const words = [...text.matchAll(/\S+/g)]
  if (words.length !== fields.length) return { problem: explainCount(text, words.length) }
  const sets: (readonly number[])[] = []
  for (const [index, field] of fields.entries()) {
    const word = words[index]?.[0] ?? ''
    const set = parseField(word, field)
    if (typeof set !== 'string') {
      sets.push(set)
      continue
    }
    const start = words[index]?.index ?? 0
    return { problem: { message: set, start, end: start + word.length } }
  }
  const cron = toCron(sets, words[2]?.[0].startsWith('*') === true, words[4]?.[0].startsWith('*') === true)
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
  // Sunday is 0 and 7.
  for (let number = from; number <= to; number += by) numbers.add(field.to === 7 ? number % 7 : number)
  return undefined
}

function numberOf(text: string | undefined, { from, to, words }: Field): number | undefined {
  const word = words?.indexOf(text ?? '') ?? -1
  const number = word >= 0 ? word + (from === 1 ? 1 : 0) : Number(text)
  return Number.isInteger(number) && number >= from && number <= to ? number : undefined
}

/** Where both days are given, either is enough, as crontab has it. */
function toCron(sets: readonly (readonly number[])[], isAnyDay: boolean, isAnyWeekday: boolean): Cron {
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = sets
  return {
    times: hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute)),
    isDay(date) {
      if (!months.includes(date.getUTCMonth() + 1)) return false
      const isDate = days.includes(date.getUTCDate())
      const isWeekday = weekdays.includes(date.getUTCDay())
      return isAnyDay || isAnyWeekday ? isDate && isWeekday : isDate || isWeekday
    },
  }
}

const dayMs = 86_400_000
/** From one 29 February to the next it can take eight years. */
const daysToTry = 8 * 366 + 1

function hasDay(cron: Cron): boolean {
  const start = Date.UTC(2096, 0, 1)
  for (let day = 0; day < daysToTry; day++) {
    if (cron.isDay(new Date(start + day * dayMs))) return true
  }
  return false
}

/** Checks the times of a schedule. */
export function checkSchedule(source: Source, trigger: TriggerKeys, path: JsonPath): void {
  checkTimezone(source, trigger.timezone, [...path, 'timezone'])
  checkPositive(source, trigger, ['every'], path)
  checkCron(source, trigger.cron, [...path, 'cron'])
}

function checkCron(source: Source, cron: string | undefined, path: JsonPath): void {
  if (cron === undefined || cron.includes('${{')) return
  const parsed = parseCron(cron)
  if (!('problem' in parsed)) return
  const { message, hint, start, end } = parsed.problem
  source.findings.add('INVALID_CRON', path, source.rangeWithin(path, start, end), message, hint)
}

function checkTimezone(source: Source, name: string | undefined, path: JsonPath): void {
  const problem = name === undefined || name.includes('${{') ? undefined : zoneProblem(name)
  if (problem === undefined) return
  source.findings.add('UNKNOWN_TIMEZONE', path, source.rangeOf(path), problem.message, problem.hint)
}
