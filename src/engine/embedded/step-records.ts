import type { TimedRunEvent } from '../../core/events.ts'
import type { StepRecord } from './journal.ts'

/** Keeps the record of each step of the plan up to date from the events of its run. */
export interface StepRecords {
  /** Answers with the record that the event changed, and its position. */
  take(event: TimedRunEvent): { readonly record: StepRecord; readonly position: number } | undefined
  list(): readonly StepRecord[]
}

export function createStepRecords(): StepRecords {
  const records = new Map<string, StepRecord>()
  return {
    take(event) {
      if (event.type === 'run_started') {
        for (const step of event.steps) records.set(step.path, { ...step, status: 'pending', attempts: 0 })
      }
      if (event.type === 'attempt_started') countAttempt(records, event.path)
      if (event.type !== 'step_started' && event.type !== 'step_finished') return undefined
      const before = records.get(event.path)
      if (!before) return undefined
      const record = event.type === 'step_started' ? started(before, event.at) : finished(before, event)
      records.set(event.path, record)
      return { record, position: [...records.keys()].indexOf(event.path) }
    },
    list: () => [...records.values()].map(stopped),
  }
}

/** The path of a call begins with that of its step: `checks/group-2`, `hosts[3]`. */
function countAttempt(records: Map<string, StepRecord>, path: string): void {
  const step = path.split(/[[/]/, 1)[0] ?? path
  const record = records.get(step)
  if (record) records.set(step, { ...record, attempts: record.attempts + 1 })
}

/** A list is asked for at the end of a run: what still runs then was interrupted. */
function stopped(record: StepRecord): StepRecord {
  return record.status === 'running' ? { ...record, status: 'interrupted' } : record
}

function started(record: StepRecord, at: string): StepRecord {
  return { ...record, status: 'running', started_at: at }
}

function finished(record: StepRecord, event: TimedRunEvent & { type: 'step_finished' }): StepRecord {
  return {
    ...record,
    status: event.status,
    attempts: event.attempts,
    ...(event.error === undefined ? {} : { error: event.error }),
    ...(event.status === 'skipped' ? {} : { ended_at: event.at }),
  }
}
