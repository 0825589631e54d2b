import { parseDuration } from '../../core/times/index.ts'
import { CommandError } from '../command-error.ts'

/** Reads `--since` or another flag: a time as printed or in RFC 3339, a day in local time, or a duration back. Unix milliseconds. */
export function readMoment(given: string, now: number, flag = '--since'): number {
  const durationMs = parseDuration(given)
  if (durationMs !== undefined) return now - durationMs
  const day = isDay(given) ? `${given}T00:00:00` : given.replace(' ', 'T')
  const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(day) ? Date.parse(day) : Number.NaN
  if (!Number.isNaN(moment)) return moment
  throw new CommandError('usage', `${flag} takes 2h, 7d, 2026-01-31 or 2026-01-31T14:00:00Z, not "${given}"`)
}

/** Reads the end of a span: a day alone means all of it. */
export function readUntil(given: string, now: number, flag = '--until'): number {
  const moment = readMoment(given, now, flag)
  return isDay(given) ? new Date(moment).setHours(24) : moment
}

function isDay(given: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(given)
}
