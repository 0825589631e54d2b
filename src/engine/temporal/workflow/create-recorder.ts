import type { RunEvent, TimedRunEvent } from '../../../core/events.ts'
import { isKeptInLog, withoutLargeOutputs } from '../../../core/record/kept-in-log.ts'
import { createPlanIndex } from '../../../core/record/plan-index.ts'
import type { RecordedEvent, StepRecord } from '../../../core/record/run-record.ts'
import { createStepRecords } from '../../../core/record/step-records.ts'
import type { Carried } from '../carried.ts'
import type { EventsPage, RunStart } from '../messages.ts'
import { createStepRows } from '../step-rows.ts'
import { createTold } from './told.ts'

/** What a run has told so far, for clients that ask. */
export interface Recorder {
  report(event: RunEvent): void
  /** The events of this execution after a number, as many as one payload holds. */
  page(afterSeq: number): EventsPage
  steps(): readonly StepRecord[]
  /** `isOpen`: whether a path can be come to again. */
  carry(isOpen: (path: string) => boolean): Pick<Carried, 'steps' | 'executions' | 'lastSeq' | 'told'>
}

/** Where the records of a run are kept. */
export interface RecorderOptions {
  readonly start: Pick<RunStart, 'runId' | 'plan'>
  readonly carried: Carried
  /** Of this execution of the workflow. */
  readonly executionId: string
}

/**
 * What one payload holds, in bytes of JSON. The server takes 2 MiB of it compressed, and 4 MiB with the commands beside
 * it: text with nothing to compress becomes a fifth shorter.
 */
const pageBytes = 1_500_000

/** Keeps the events of a run, and the records of its steps, in the memory of its workflow: a replay makes them anew. */
export function createRecorder({ start, carried, executionId }: RecorderOptions): Recorder {
  const { runId, plan } = start
  const events: Kept[] = []
  const rows = createStepRows(carried.steps)
  const records = createStepRecords(createPlanIndex(plan), rows, carried.lastSeq === 0)
  const told = createTold(carried.told)
  const firstSeq = carried.lastSeq + 1
  return {
    report(event) {
      if (!isKeptInLog(event) || isGoingOn(event) || told.isAgain(event)) return
      told.add(event)
      const timed: TimedRunEvent = { run_id: runId, at: new Date(Date.now()).toISOString(), ...event }
      for (const { record, position } of records.take(timed)) rows.write(record, position)
      events.push(keep(timed, firstSeq + events.length))
    },
    page(afterSeq) {
      const page: RecordedEvent[] = []
      let bytes = 0
      for (const event of events.slice(Math.max(afterSeq + 1 - firstSeq, 0))) {
        bytes += event.bytes
        if (bytes > pageBytes && page.length > 0) return { events: page, isMore: true }
        page.push(event.recorded)
      }
      return { events: page, isMore: false }
    },
    steps: rows.list,
    carry: (isOpen) => ({
      told: told.carry(isOpen),
      steps: rows.list().filter(({ path, status }) => !path.includes('[') || status === 'running'),
      executions: [...carried.executions, { runId: executionId, firstSeq }],
      lastSeq: carried.lastSeq + events.length,
    }),
  }
}

/** That a run goes on in another execution is nothing that happens. */
function isGoingOn(event: RunEvent): boolean {
  return event.type === 'run_finished' && event.status === 'interrupted'
}

/** An event, and its bytes in a page. */
interface Kept {
  readonly recorded: RecordedEvent
  readonly bytes: number
}

/** What an event without outputs takes besides its path. */
const usualBytes = 240

function keep(event: TimedRunEvent, seq: number): Kept {
  // Most events are small, and to write them out only to see that takes longer than all else that becomes of them.
  if (!isOfAnySize(event)) {
    const path = 'path' in event ? event.path.length : 0
    return { recorded: { seq, event }, bytes: usualBytes + path }
  }
  const text = JSON.stringify(event)
  const trimmed = withoutLargeOutputs(event, text.length) as TimedRunEvent | undefined
  if (!trimmed) return { recorded: { seq, event }, bytes: bytesOf(text) }
  return { recorded: { seq, event: trimmed, is_trimmed: true }, bytes: bytesOf(JSON.stringify(trimmed)) }
}

/** What stands around each event in a page. */
const wrapperBytes = 50

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length + wrapperBytes
}

function isOfAnySize(event: TimedRunEvent): boolean {
  switch (event.type) {
    case 'attempt_started':
    case 'step_started':
    case 'items_counted':
    case 'item_finished':
    case 'groups_counted':
      return false
    case 'attempt_succeeded':
      return event.warnings !== undefined || event.sensitive !== undefined
    default:
      return true
  }
}
