import type { JsonValue } from '../json.ts'
import { readTime, weekdayOfCalendar, writeCalendar, writeTime } from '../times/calendar.ts'
import { parseDuration } from '../times/duration.ts'
import { mostZonesKept, timeInZone, zoneOffsetMs, zoneProblem } from '../times/time-zone.ts'
import type { ExpressionFunction, Parameter } from './function.ts'
import { fail, type Machine, make, stepsToConvert, work } from './machine.ts'
import { readMailTime } from './mail-time.ts'
import { readPatternTime, timePatternProblem, writePattern } from './time-pattern.ts'
import { type Kind, numberType, textType } from './value-type.ts'

const kinds: readonly Kind[] = ['text']
const time: Parameter = { name: 'time', kinds, check: timeProblem }
const zone: Parameter = { name: 'zone', kinds, check: describeZoneProblem }
const duration: Parameter = { name: 'duration', kinds, check: durationProblem }
/** What looking a zone's clocks up counts as. */
const stepsForAZone = 70
/** What reading the rules of a zone counts as, before its clocks can be looked up. */
const stepsToReadAZone = 1500
/** What a character of a pattern counts as. */
const stepsForALetter = 4

/** Functions of times. A time is a text such as `2026-01-31T08:00:00Z`; none of them reads a clock. */
export const timeFunctions: readonly ExpressionFunction[] = [
  {
    name: 'addTime',
    parameters: [time, duration],
    result: textType,
    summary: 'The time that is a duration later, in UTC; earlier with a `-` before the duration.',
    example: "addTime('2026-01-31T00:00:00Z', '-24h') == '2026-01-30T00:00:00Z'",
    evaluate: ([start, length], machine) => {
      const ms =
        momentOf(machine, start) + orFail(machine, readSignedDuration(length), durationProblem, length)
      return written(machine, ms)
    },
  },
  {
    name: 'secondsBetween',
    parameters: [
      { ...time, name: 'from' },
      { ...time, name: 'to' },
    ],
    result: numberType,
    summary: 'How many seconds later the second time is; below 0 where it is earlier.',
    example: "secondsBetween('2026-01-31T08:00:00Z', '2026-01-31T10:00:30+01:00') == 3630",
    evaluate: ([from, to], machine) => (momentOf(machine, to) - momentOf(machine, from)) / 1000,
  },
  {
    name: 'formatTime',
    parameters: [
      time,
      { name: 'pattern', kinds, check: (value) => timePatternProblem(value as string) },
      zone,
    ],
    optional: 1,
    result: textType,
    summary: 'The time as a pattern writes it, by the clocks of a time zone; of UTC without one.',
    example: "formatTime('2026-07-01T08:05:00Z', 'EEE d MMM, HH:mm', 'Europe/Berlin') == 'Wed 1 Jul, 10:05'",
    evaluate: ([moment, pattern, name], machine) => {
      const ms = momentOf(machine, moment)
      const { length } = pattern as string
      // The pattern is read twice: for what is wrong with it, and to write the time.
      work(machine, 2 * stepsToConvert + length * stepsForALetter)
      const problem = timePatternProblem(pattern as string)
      if (problem !== undefined) return fail(machine, machine.at, problem)
      make(machine, length * 3)
      return writePattern(pattern as string, ms, offsetOf(machine, name, ms))
    },
  },
  {
    name: 'parseTime',
    parameters: [
      { name: 'text', kinds },
      { name: 'pattern', kinds, check: (value) => timePatternProblem(value as string, true) },
      zone,
    ],
    optional: 2,
    result: textType,
    summary:
      'The time that a text names, in UTC: in the form of RFC 3339 or of mails and HTTP headers, or as a pattern says.',
    example: "parseTime('01.07.2026 10:05', 'dd.MM.yyyy HH:mm', 'Europe/Berlin') == '2026-07-01T08:05:00Z'",
    evaluate: ([text, pattern, name], machine) => parseTime(machine, text as string, pattern, name),
  },
  {
    name: 'timeOfUnix',
    parameters: [{ name: 'seconds', kinds: ['number'] }],
    result: textType,
    summary: 'The time of a Unix timestamp: seconds since 1 January 1970, in UTC.',
    example: "timeOfUnix(1782893100) == '2026-07-01T08:05:00Z'",
    evaluate: ([seconds], machine) => {
      work(machine, stepsToConvert)
      const text = writeTime(Math.round((seconds as number) * 1000))
      const hint = 'milliseconds are divided by 1000 first'
      return text ?? fail(machine, machine.at, `${seconds} seconds are beyond the year 9999; ${hint}`)
    },
  },
  {
    name: 'hourOf',
    parameters: [time, zone],
    optional: 1,
    result: numberType,
    summary: 'The hour of a time, 0 to 23, by the clocks of a time zone; of UTC without one.',
    example: "hourOf('2026-07-01T08:05:00Z', 'Europe/Berlin') == 10",
    evaluate: ([moment, name], machine) => writeCalendar(localOf(machine, moment, name)).hour,
  },
  {
    name: 'weekdayOf',
    parameters: [time, zone],
    optional: 1,
    result: numberType,
    summary: 'The day of the week of a time, 1 for Monday to 7 for Sunday, by the clocks of a time zone.',
    example:
      "weekdayOf('2026-07-04T23:00:00Z') == 6 && weekdayOf('2026-07-04T23:00:00Z', 'Europe/Berlin') == 7",
    evaluate: ([moment, name], machine) => weekdayOfCalendar(localOf(machine, moment, name)),
  },
]

function timeProblem(value: JsonValue): string | undefined {
  if (readTime(value as string) !== undefined) return undefined
  return `a time is a text such as 2026-01-31T08:00:00Z, not ${shown(value)}; parseTime(…) reads other forms`
}

function durationProblem(value: JsonValue): string | undefined {
  if (readSignedDuration(value) !== undefined) return undefined
  return `a duration is a text such as 30m or -24h, not ${shown(value)}`
}

function describeZoneProblem(value: JsonValue): string | undefined {
  const problem = zoneProblem(value as string)
  return problem && `${problem.message}; ${problem.hint}`
}

function shown(value: JsonValue | undefined): string {
  const text = String(value)
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

function readSignedDuration(value: JsonValue | undefined): number | undefined {
  const text = String(value)
  const ms = parseDuration(text.replace(/^-/, ''))
  return ms !== undefined && text.startsWith('-') ? -ms : ms
}

function orFail<T>(
  machine: Machine,
  read: T | undefined,
  problemOf: (value: JsonValue) => string | undefined,
  value: JsonValue = null,
): T {
  return read ?? fail(machine, machine.at, problemOf(value) ?? 'it cannot be read')
}

function momentOf(machine: Machine, value: JsonValue | undefined): number {
  work(machine, stepsToConvert)
  return orFail(machine, readTime(value as string), timeProblem, value)
}

function written(machine: Machine, ms: number): string {
  work(machine, stepsToConvert)
  return writeTime(ms) ?? fail(machine, machine.at, 'the time is outside of the years 1 to 9999')
}

function offsetOf(machine: Machine, name: JsonValue = 'UTC', ms: number): number {
  lookUpZone(machine, name as string, 1)
  return orFail(machine, zoneOffsetMs(name as string, ms), describeZoneProblem, name)
}

/** Counts how often a zone is about to be looked up. What is counted does not depend on earlier evaluations. */
function lookUpZone(machine: Machine, name: string, times: number): void {
  if (name === 'UTC') return
  work(machine, stepsForAZone * times)
  machine.zones ??= new Set()
  if (machine.zones.has(name)) return
  work(machine, stepsToReadAZone)
  if (machine.zones.size >= mostZonesKept) machine.zones.clear()
  machine.zones.add(name)
}

function localOf(machine: Machine, moment: JsonValue | undefined, name: JsonValue | undefined): number {
  const ms = momentOf(machine, moment)
  return ms + offsetOf(machine, name, ms)
}

function parseTime(
  machine: Machine,
  text: string,
  pattern: JsonValue | undefined,
  name: JsonValue = 'UTC',
): string {
  const { length } = pattern === undefined ? text : (pattern as string)
  work(machine, stepsToConvert + length * stepsForALetter)
  if (pattern === undefined) {
    const ms = readTime(text) ?? readMailTime(text)
    if (ms !== undefined) return written(machine, ms)
    const hint =
      readTime(`${text}Z`) === undefined
        ? `is no time; a pattern such as 'yyyy-MM-dd' says how to read it`
        : `has no time zone: add Z for UTC, or give the pattern "yyyy-MM-dd'T'HH:mm:ss" and a zone`
    return fail(machine, machine.at, `${shown(text)} ${hint}`)
  }
  const problem = timePatternProblem(pattern as string, true)
  if (problem !== undefined) return fail(machine, machine.at, problem)
  const found = readPatternTime(text, pattern as string)
  if (!found) return fail(machine, machine.at, `${shown(text)} is no time in the form ${shown(pattern)}`)
  const { localMs, offsetMs } = found
  if (offsetMs !== undefined) return written(machine, localMs - offsetMs)
  lookUpZone(machine, name as string, 4)
  return written(machine, orFail(machine, timeInZone(name as string, localMs), describeZoneProblem, name))
}
