import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { isForPerson, type TimedRunEvent } from '../../../core/events.ts'
import { type CurrentStep, isEventInside } from '../../../core/record/index.ts'
import { systemClock } from '../../attempt/index.ts'
import { sql } from '../database/sql.ts'
import { readNewestEvents } from '../tables/event-log.ts'
import { storedTime } from './record-rows.ts'

/**
 * Finds what an open run is at: the question whose time ends first, else the step that began last and has not ended.
 * Costs the same however many items a loop has. Undefined: nothing has begun, or all that has begun has ended.
 */
export type FindCurrentStep = (runId: string) => CurrentStep | undefined

/** The newest events of a run among which its wait is looked for. */
const newestEvents = 100

export function openCurrentSteps(database: DatabaseSyncInstance): FindCurrentStep {
  const newestInside = (runId: string, path: string): TimedRunEvent | undefined => {
    let left = newestEvents
    for (const { event } of readNewestEvents(database, runId)) {
      if ('path' in event && isEventInside(event, path)) return event
      if (--left === 0) break
    }
    return undefined
  }
  return (runId) => {
    const now = systemClock.now()
    const step =
      sql(database).get`
        SELECT path, asked_at AS since, until FROM questions
        WHERE run_id = ${runId} AND superseded = 0 AND status = 'open' ORDER BY until IS NULL, until,
          asked_at LIMIT 1` ??
      sql(database).get`
        SELECT path, started_at AS since FROM steps WHERE run_id = ${runId} AND status = 'running'
        ORDER BY position DESC LIMIT 1`
    if (step === undefined) return undefined
    const { path, since, until } = step
    const at = String(path)
    const event = newestInside(runId, at)
    const wait = event?.type === 'waiting' ? event : undefined
    const isOver = wait?.until !== undefined && wait.until <= now && !isForPerson(wait.reason)
    const untilMs = isOver ? undefined : (wait?.until ?? until ?? undefined)
    return {
      path: at,
      since: storedTime(since),
      ...(wait === undefined || isOver ? {} : { reason: wait.reason }),
      ...(untilMs === undefined ? {} : { until: storedTime(untilMs) }),
    }
  }
}
