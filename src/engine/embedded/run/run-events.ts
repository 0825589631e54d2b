import type { RunEvent, TimedRunEvent } from '../../../core/events.ts'
import {
  createPlanIndex,
  createStepRecords,
  isKeptInLog,
  isUnfinished,
  type PlanIndex,
  type StepRows,
} from '../../../core/record/index.ts'
import type { Clock } from '../../attempt/index.ts'
import { createEventStream, type RunHandle, type RunReport } from '../../record/index.ts'
import type { CommitQueue } from '../database/commit-queue.ts'
import { type NoticeWriter, openNoticeWriter } from '../notifications/notice-store.ts'
import { openEventLog } from '../tables/event-log.ts'
import { openStepRows } from '../tables/step-rows.ts'
import type { EngineOptions, OwnedRun } from './run-options.ts'

/** What a run reports: it is recorded, and reaches those who listen. */
export interface RunEvents {
  report(event: RunEvent): void
  readonly notices: NoticeWriter
  readonly stream: RunHandle['events']
  /** The steps that the events tell of. */
  steps(): RunReport['steps']
  /** There are no more events. */
  end(): void
}

/** Opens the log of a run, with its steps and its notifications. */
export function openRunEvents(
  run: OwnedRun,
  queue: CommitQueue,
  clock: Clock,
  { notices: compose, onEvent }: Pick<EngineOptions, 'notices' | 'onEvent'>,
): RunEvents {
  const { id, plan, database, isNew } = run
  const rows = openStepRows(database, id)
  const index = createPlanIndex(plan)
  const records = createStepRecords(index, rows, isNew)
  const isReplay = createReplayFilter(index, rows, isNew)
  const log = openEventLog(database, queue, id)
  const notices = openNoticeWriter(database, run, clock, compose)
  const stream = createEventStream(onEvent)
  const record = (event: TimedRunEvent): void => {
    if (!isKeptInLog(event) || isReplay(event)) return
    for (const { record, position } of records.take(event)) queue.batch(() => rows.write(record, position))
    log(event)
  }
  return {
    report(event) {
      const timed: TimedRunEvent = { run_id: id, at: new Date(clock.now()).toISOString(), ...event }
      record(timed)
      notices.take(timed)
      stream.push(timed)
    },
    notices,
    stream,
    steps: () => records.list(),
    end: stream.end,
  }
}

/** True for an event that a resumed run only replays: one of a step that had ended before, and was recorded then. */
function createReplayFilter(
  index: PlanIndex,
  rows: StepRows,
  isNew: boolean,
): (event: TimedRunEvent) => boolean {
  if (isNew) return () => false
  const before = new Map(rows.readOutsideLoops().map(({ path, status }) => [path, status]))
  return (event) => {
    if (!('path' in event)) return false
    const path = index.ownerOf(event.path)?.path ?? event.path
    const status = before.get(path) ?? (path.includes('[') ? rows.read(path)?.status : undefined)
    if (status === undefined || isUnfinished(status)) return false
    return event.type !== 'step_finished' || event.status === status
  }
}
