import type { RunEvent, TimedRunEvent } from '../../../core/events.ts'
import { createPlanIndex } from '../../../core/record/plan-index.ts'
import type { RecordedEvent, StepRecord } from '../../../core/record/run-record.ts'
import { createStepRecords, type StepRows } from '../../../core/record/step-records.ts'
import type { EventsPage, RunStart } from '../messages.ts'

/** What a run has told so far, for clients that ask. */
export interface Recorder {
  report(event: RunEvent): void
  /** The events after a number, as many as one answer holds. */
  page(afterSeq: number): EventsPage
  steps(): readonly StepRecord[]
}

/** What one answer to a client holds, in characters of JSON: far below what the server lets through. */
const pageLength = 500_000

/** Larger outputs are not kept a second time. */
const mostOutputLength = 16_384

/** Keeps the events of a run, and the records of its steps, in the memory of its workflow: a replay makes them anew. */
export function createRecorder({ runId, plan }: Pick<RunStart, 'runId' | 'plan'>): Recorder {
  const events: { readonly recorded: RecordedEvent; readonly length: number }[] = []
  const rows = createRows()
  const records = createStepRecords(createPlanIndex(plan), rows, true)
  return {
    report(event) {
      if (event.type === 'waiting' && event.reason === 'timeout') return
      const timed: TimedRunEvent = { ...event, run_id: runId, at: new Date(Date.now()).toISOString() }
      for (const { record, position } of records.take(timed)) rows.write(record, position)
      events.push(keep(timed, events.length + 1))
    },
    page(afterSeq) {
      const page: RecordedEvent[] = []
      let length = 0
      for (const event of events.slice(afterSeq)) {
        length += event.length
        if (length > pageLength && page.length > 0) return { events: page, isMore: true }
        page.push(event.recorded)
      }
      return { events: page, isMore: false }
    },
    steps: rows.list,
  }
}

function keep(event: TimedRunEvent, seq: number): { recorded: RecordedEvent; length: number } {
  const length = JSON.stringify(event).length
  if (length <= mostOutputLength || 'sensitive' in event || !('outputs' in event))
    return { recorded: { seq, event }, length }
  const { outputs: _, ...rest } = event
  return {
    recorded: { seq, event: rest as TimedRunEvent, is_trimmed: true },
    length: JSON.stringify(rest).length,
  }
}

interface Rows extends StepRows {
  list(): readonly StepRecord[]
}

/** The records by their paths, in the order of their positions. */
function createRows(): Rows {
  const byPath = new Map<string, { readonly record: StepRecord; readonly position: number }>()
  return {
    write(record, position) {
      const before = byPath.get(record.path)
      byPath.set(record.path, {
        record:
          before?.record.started_at === undefined
            ? record
            : { ...record, started_at: before.record.started_at },
        position: before?.position ?? position,
      })
    },
    read: (path) => byPath.get(path)?.record,
    readOutsideLoops: () => [],
    lastPosition: () => byPath.size - 1,
    list: () =>
      [...byPath.values()].sort((one, other) => one.position - other.position).map(({ record }) => record),
  }
}
