import { CancellationScope, scheduleLocalActivity, sleep, workflowInfo } from '@temporalio/workflow'
import type { RunEvent, TimedRunEvent } from '../../../../core/events.ts'
import { type JsonValue, jsonSize } from '../../../../core/json.ts'
import {
  createPlanIndex,
  createStepRecords,
  isKeptInLog,
  type RecordedEvent,
  type StepRecord,
  withoutLargeOutputs,
} from '../../../../core/record/index.ts'
import { recordedTime } from '../../../../core/times/index.ts'
import type { ContinuedState } from '../../continued-state.ts'
import {
  type EventsAnswer,
  type KeptPage,
  keepLogActivity,
  type RunExecution,
  type RunStateAnswer,
} from '../../messages.ts'
import { createStepRows } from '../../step-rows.ts'

/** The events of a run so far, for clients. */
export interface Recorder {
  report(event: RunEvent): void
  /** The events of this execution after a number, up to the size of one payload. */
  page(afterSeq: number): EventsAnswer
  steps(): readonly StepRecord[]
  /** `isOpen`: whether the run can reach a path again. */
  carry(
    isOpen: (path: string) => boolean,
  ): Pick<ContinuedState, 'steps' | 'executions' | 'lastSeq' | 'emitted'>
}

/**
 * The size of one payload, in bytes of JSON. The server accepts 2 MiB compressed, and 4 MiB with the other commands. Random
 * text becomes a fifth smaller.
 */
const pageBytes = 1_500_000

/** Holds the events of a run, and the records of its steps, in the memory of its workflow: a replay rebuilds them. */
export function createRecorder({ start, continued }: RunExecution): Recorder {
  const { runId, plan } = start
  const events: RecordedEvent[] = []
  const rows = createStepRows(continued.steps)
  const records = createStepRecords(createPlanIndex(plan), rows, continued.lastSeq === 0)
  const emitted = createEmittedEvents(continued.emitted)
  const firstSeq = continued.lastSeq + 1
  return {
    report(event) {
      if (!isKeptInLog(event) || isContinuing(event) || emitted.isAgain(event)) return
      emitted.add(event)
      const timed: TimedRunEvent = { run_id: runId, at: recordedTime(Date.now()), ...event }
      for (const { record, position } of records.take(timed)) rows.write(record, position)
      events.push(keep(timed, firstSeq + events.length))
    },
    page(afterSeq) {
      const page: RecordedEvent[] = []
      let bytes = 0
      for (const event of events.slice(Math.max(afterSeq + 1 - firstSeq, 0))) {
        bytes += jsonSize(event as unknown as JsonValue)
        if (bytes > pageBytes && page.length > 0) return { events: page, isMore: true }
        page.push(event)
      }
      return { events: page, isMore: false }
    },
    steps: rows.list,
    carry: (isOpen) => ({
      emitted: emitted.carry(isOpen),
      steps: rows.list().filter(({ path, status }) => !path.includes('[') || status === 'running'),
      executions: [...continued.executions, { runId: workflowInfo().runId, firstSeq }],
      lastSeq: continued.lastSeq + events.length,
    }),
  }
}

/** Continuing as a new execution is no event of the run. */
function isContinuing(event: RunEvent): boolean {
  return event.type === 'run_finished' && event.status === 'interrupted'
}

function keep(event: TimedRunEvent, seq: number): RecordedEvent {
  const trimmed = 'outputs' in event && withoutLargeOutputs(event, JSON.stringify(event).length)
  return trimmed ? { seq, event: trimmed as TimedRunEvent, is_trimmed: true } : { seq, event }
}

/**
 * The events that were emitted of paths that are still open. The next execution walks these paths again, and must not emit
 * the events twice.
 */
export interface EmittedEvents {
  /** Whether an earlier execution has emitted the event. Each of its events counts once. */
  isAgain(event: RunEvent): boolean
  /** Adds an event that is emitted now. */
  add(event: RunEvent): void
  /** The events of the paths that are open. */
  carry(isOpen: (path: string) => boolean): readonly (readonly [path: string, emitted: readonly string[]])[]
}

function createEmittedEvents(before: ReturnType<EmittedEvents['carry']>): EmittedEvents {
  const again = new Map(before.map(([path, all]) => [path, [...all]]))
  const emitted = new Map(before.map(([path, all]) => [path, [...all]]))
  return {
    isAgain(event) {
      const left = again.get(pathOf(event))
      const at = left?.indexOf(nameOf(event)) ?? -1
      if (at < 0) return false
      left?.splice(at, 1)
      return true
    },
    add(event) {
      const path = pathOf(event)
      // No execution walks through an ended step again.
      if (event.type === 'step_finished' || event.type === 'item_finished') emitted.delete(path)
      else if (isOfInterpreter(event)) {
        const known = emitted.get(path)
        if (known) known.push(nameOf(event))
        else emitted.set(path, [nameOf(event)])
      }
    },
    carry: (isOpen) => [...emitted].filter(([path]) => isOpen(path)),
  }
}

/** The host emits the events of attempts, pauses and control requests, each once. */
function isOfInterpreter(event: RunEvent): boolean {
  switch (event.type) {
    case 'attempt_started':
    case 'attempt_succeeded':
    case 'run_cancelling':
    case 'run_paused':
    case 'run_unpaused':
      return false
    case 'logged':
      return event.attempt === undefined
    case 'waiting':
      return event.reason !== 'pause' && event.reason !== 'budget' && event.reason !== 'target'
    default:
      return true
  }
}

function pathOf(event: RunEvent): string {
  return 'path' in event ? event.path : ''
}

function nameOf(event: RunEvent): string {
  switch (event.type) {
    case 'waiting':
      return `${event.type} ${event.reason}`
    case 'attempt_failed':
      return `${event.type} ${event.attempt}`
    default:
      return event.type
  }
}

/** Writes the log of an execution into its history. */
export interface LogWriter {
  /** Resolves when the history holds all events so far. `state`: returns where the run stands, once it has ended. */
  write(state?: () => RunStateAnswer): Promise<void>
  /** Whether it does. */
  isWhole(): boolean
}

/**
 * Writes what the recorder of this execution holds; `lastSeq` is the number of the last event before it. A local activity
 * returns each page, and the SDK records its result in a marker: that takes neither a task queue nor another worker.
 */
export function createLogWriter({ page }: Pick<Recorder, 'page'>, lastSeq: number): LogWriter {
  let last = lastSeq
  let pages = 0
  const writePage = async (state?: () => RunStateAnswer): Promise<void> => {
    // A workflow task may bring the server 4 MiB: the timer gives each further page a task of its own.
    if (pages > 0) await sleep(1)
    const { events, isMore } = page(last)
    const kept: KeptPage = { events, before: pages++, ...(state && !isMore ? { state: state() } : {}) }
    last = events.at(-1)?.seq ?? last
    await scheduleLocalActivity(keepLogActivity, [kept], { startToCloseTimeout: '1 minute' })
  }
  return {
    write: (state) =>
      // A run that was cancelled at the server writes its log, too.
      CancellationScope.nonCancellable(async () => {
        do await writePage(state)
        while (page(last).events.length > 0)
      }),
    isWhole: () => page(last).events.length === 0,
  }
}
