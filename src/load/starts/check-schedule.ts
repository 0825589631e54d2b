import { formatDuration, parseDuration } from '../../core/duration.ts'
import { nearest } from '../../core/nearest.ts'
import { addContradiction, checkPositive } from '../compile/check-step-times.ts'
import type { JsonPath } from '../json-path.ts'
import type { TriggerKeys } from '../runbook-document.ts'
import type { Source } from '../source.ts'
import { parseCron, shortestPeriodMs } from './cron.ts'

/** Checks the times of a schedule: each by itself, and against one another. */
export function checkSchedule(source: Source, trigger: TriggerKeys, path: JsonPath): void {
  checkTimezone(source, trigger.timezone, [...path, 'timezone'])
  checkPositive(source, trigger, ['every'], path)
  const period = checkCron(source, trigger.cron, [...path, 'cron'])
  const distance = trigger.every === undefined ? period : parseDuration(trigger.every)
  const jitter = trigger.jitter === undefined ? undefined : parseDuration(trigger.jitter)
  if (jitter !== undefined && distance !== undefined && distance > 0 && jitter >= distance) {
    const message = `a start can be ${trigger.jitter} late, and the next one is due after ${formatDuration(distance)}`
    addContradiction(source, [...path, 'jitter'], message)
  }
  const [start, end] = [trigger['start-at'], trigger['end-at']].map((text) => Date.parse(text ?? ''))
  if (start !== undefined && end !== undefined && end <= start) {
    addContradiction(source, [...path, 'end-at'], 'the schedule ends before it begins')
  }
}

/** The shortest distance between two starts, if the cron expression can be read. */
function checkCron(source: Source, cron: string | undefined, path: JsonPath): number | undefined {
  if (cron === undefined || cron.includes('${{')) return undefined
  const parsed = parseCron(cron)
  if (!('problem' in parsed)) return shortestPeriodMs(parsed)
  const { message, hint, start, end } = parsed.problem
  source.findings.add('INVALID_CRON', path, source.rangeWithin(path, start, end), message, hint)
  return undefined
}

function checkTimezone(source: Source, name: string | undefined, path: JsonPath): void {
  if (name === undefined || name.includes('${{')) return
  const known = [...Intl.supportedValuesOf('timeZone'), 'UTC']
  if (known.includes(name)) return
  // A name that only its case makes wrong is right here, and wrong on machines whose zones are files.
  const right = known.find((zone) => zone.toLowerCase() === name.toLowerCase())
  if (right === undefined && isTimezone(name)) return
  const near = right ?? known.find((zone) => zone.endsWith(`/${name}`)) ?? nearest(name, known)
  const hint = near === undefined ? 'an IANA name, such as Europe/Berlin' : `did you mean "${near}"?`
  source.findings.add('UNKNOWN_TIMEZONE', path, source.rangeOf(path), `there is no time zone "${name}"`, hint)
}

/** Other names of known zones, such as Asia/Kolkata; a plain offset is no zone. */
function isTimezone(name: string): boolean {
  if (!/^[A-Z][A-Za-z_]*(\/[A-Za-z0-9_+-]+)*$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
