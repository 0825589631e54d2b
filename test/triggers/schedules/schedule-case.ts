import { readFileSync } from 'node:fs'
import { loadRunbook } from 'opsbook'
import { parse } from 'yaml'
import type { Schedule } from '../../../src/triggers/schedules/schedule-entry.ts'

/** A schedule as a runbook has it, and its times between two moments. */
export interface ScheduleCase {
  readonly about: string
  readonly schedule: Schedule
  readonly afterMs: number
  readonly untilMs: number
  /** As `2026-03-29T01:00Z`. */
  readonly times: readonly string[]
  /** Those of a Temporal server, where they are others. */
  readonly temporal?: readonly string[]
}

interface WrittenCase {
  readonly about: string
  readonly after: string
  readonly until: string
  readonly times: readonly string[]
  readonly temporal?: readonly string[]
  readonly [key: string]: unknown
}

const file = new URL('../../cases/schedules/summer-time.yaml', import.meta.url)

/** The cases, each schedule as the loader reads it. */
export function readScheduleCases(): readonly ScheduleCase[] {
  const written = parse(readFileSync(file, 'utf8'), { schema: 'core' }) as readonly WrittenCase[]
  return written.map(({ about, after, until, times, temporal, ...keys }) => ({
    about,
    schedule: compile(keys),
    afterMs: Date.parse(after),
    untilMs: Date.parse(until),
    times,
    ...(temporal === undefined ? {} : { temporal }),
  }))
}

/** The minute of a time. */
export function minuteText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(':00.000Z', 'Z')
}

function compile(keys: Readonly<Record<string, unknown>>): Schedule {
  const runbook = {
    apiVersion: 'opsbook/v1',
    name: 'scheduled',
    triggers: [{ type: 'schedule', ...keys }],
    steps: [{ id: 'say', uses: 'core/log', with: { message: 'now' } }],
  }
  const { plan, diagnostics } = loadRunbook(JSON.stringify(runbook), [])
  const [schedule] = plan?.triggers ?? []
  if (schedule?.type !== 'schedule') throw new Error(JSON.stringify(diagnostics))
  return schedule
}
