import { parseDuration } from '../../core/duration.ts'
import { suggest } from '../../core/nearest.ts'
import type { RecordedStatus } from '../../core/record/run-record.ts'
import type { RunFilter } from '../../engine/engine.ts'
import { CommandError } from '../command-error.ts'
import type { RunsOptions } from '../commands/runs.ts'
import { exitCodes } from '../exit-codes.ts'

const statuses: readonly RecordedStatus[] = [
  'queued',
  'running',
  'waiting',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
  'unknown',
  'interrupted',
]

/** What the flags ask for. */
export function readFilter({ status, label, since }: RunsOptions, now: number): RunFilter {
  return {
    ...(status === undefined ? {} : { status: status.flatMap((list) => list.split(',')).map(readStatus) }),
    ...(label === undefined ? {} : { labels: Object.fromEntries(label.map(readLabel)) }),
    ...(since === undefined ? {} : { startedFromMs: readMoment(since, now) }),
  }
}

function readStatus(given: string): RecordedStatus {
  const status = statuses.find((name) => name === given.trim())
  if (status) return status
  throw new CommandError(exitCodes.usage, `there is no status "${given.trim()}"`, {
    hints: [suggest(given.trim(), statuses)],
  })
}

function readLabel(given: string): readonly [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? []
  if (name !== undefined && value !== undefined) return [name.trim(), value]
  throw new CommandError(exitCodes.usage, `--label takes name=value, not "${given}"`)
}

/** A moment as it is shown or in RFC 3339, or how long ago it was, in Unix time in milliseconds. A day begins where the clock of this machine says so. */
export function readMoment(given: string, now: number): number {
  const durationMs = parseDuration(given)
  if (durationMs !== undefined) return now - durationMs
  const day = /^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00:00` : given.replace(' ', 'T')
  const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(day) ? Date.parse(day) : Number.NaN
  if (!Number.isNaN(moment)) return moment
  throw new CommandError(exitCodes.usage, `--since takes 2h, 7d, 2026-01-31 or a moment, not "${given}"`)
}
