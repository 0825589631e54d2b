import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { createRunSecrets, noSecrets } from '../../../actions/index.ts'
import type { RunEvent, TimedRunEvent } from '../../../core/events.ts'
import { callbackTokens } from '../../../core/hooks/index.ts'
import { createCancellation } from '../../../core/host/index.ts'
import { interpret, type RunOutcome } from '../../../core/interpret.ts'
import { givenInAdvance } from '../../../core/people/index.ts'
import { secretNames } from '../../../core/plan/index.ts'
import {
  createPlanIndex,
  createReplayOrder,
  createStepRecords,
  isKeptInLog,
  isUnfinished,
  type PlanIndex,
  type StepRows,
  sensitiveInputs,
} from '../../../core/record/index.ts'
import { type ErrorData, errorData } from '../../../core/run-error.ts'
import { artifactsFolder, type Connect, systemClock } from '../../attempt/index.ts'
import { createEventStream, type RunHandle, type RunReport, systemIdentity } from '../../record/index.ts'
import { openRunCallbacks } from '../callbacks/run-callbacks.ts'
import { type CommitQueue, createCommitQueue } from '../database/commit-queue.ts'
import { type NoticeWriter, openNoticeWriter } from '../notifications/notice-store.ts'
import { openChangedWork } from '../resume/reusable-results.ts'
import { openControlRequestRows } from '../tables/control-request-rows.ts'
import { openEventLog } from '../tables/event-log.ts'
import { openFirstReached } from '../tables/first-reached.ts'
import { openQuestionRows } from '../tables/question-rows.ts'
import { endRun, readSealKey, recordStop, type StoredRun } from '../tables/run-rows.ts'
import { openStepRows } from '../tables/step-rows.ts'
import { createArtifacts } from './artifacts.ts'
import { openEventInbox } from './event-inbox.ts'
import { openJournal } from './journal.ts'
import type { Ownership } from './ownership.ts'
import { approveAll } from './question-log.ts'
import { createRunControl, type RunControl } from './run-control.ts'
import { createEmbeddedHost } from './run-host.ts'
import type { EngineOptions } from './run-options.ts'

/** A run that this process owns. */
export interface OwnedRun extends Pick<StoredRun, 'id' | 'plan' | 'inputs' | 'startedAtMs'> {
  readonly database: DatabaseSyncInstance
  readonly ownership: Ownership
  readonly connect: Connect
  /** Nothing of the run was done before. */
  readonly isNew: boolean
  /** True if no user started or resumed it. A user can then not have interrupted it either. */
  readonly isAutomatic?: boolean
  /** The reason why the run cannot work here: it fails before its first step. */
  readonly refusal?: ErrorData
}

/** Executes a run to its end, then closes its database and releases its ownership. */
export function driveRun(run: OwnedRun, options: EngineOptions): RunHandle {
  const { id, plan, database, isNew } = run
  const { clock = systemClock } = options
  const queue = createCommitQueue(database)
  const interrupt = createCancellation()
  const stream = createEventStream()
  const recorder = createRecorder(run, queue)
  const isoTime = createIsoTime()
  const report = (event: RunEvent): void => {
    const timed: TimedRunEvent = { run_id: id, at: isoTime(clock.now()), ...event }
    recorder.take(timed)
    notices.take(timed)
    notifyListener(options.onEvent, timed)
    stream.push(timed)
  }
  const isApproved = options.approve === 'all'
  const questions = openQuestionRows(database, id)
  const notices = openNoticeWriter(database, run, clock, options.notices)
  // The previous process may have been killed by a read.
  const awaitsReads = run.isAutomatic === true && !isNew
  const journal = openJournal(database, queue, { runId: id, isNew, awaitsReads })
  const replay = createReplayOrder(journal.entries, setImmediate)
  const control = createRunControl({
    rows: openControlRequestRows(database, id),
    queue,
    replay,
    clock,
    interrupt,
    report,
  })
  const artifacts = createArtifacts(artifactsFolder(options.dataDir, id), database, queue, id)
  const { actions } = options
  const changed = openChangedWork(database, run, { queue, artifacts, actions })
  const callbacks = openRunCallbacks({ ...options, database, queue, runId: id, plan: changed.plan })
  const secrets = createRunSecrets(options.secrets ?? noSecrets, secretNames(changed.plan), [
    ...sensitiveInputs(changed.plan.inputs, run.inputs),
    ...callbackTokens(callbacks),
  ])
  const host = createEmbeddedHost({
    plan: changed.plan,
    actions,
    connect: run.connect,
    secrets,
    checkInputs: options.checkInputs,
    artifacts,
    reusable: changed.reusable,
    queue,
    journal,
    replay,
    clock,
    firstReached: openFirstReached(database, queue, clock, id),
    inbox: openEventInbox({ database, queue, clock, runId: id, interrupt }),
    questions: notices.withNotices(
      questions,
      (question) => isApproved && givenInAdvance(question, systemIdentity()) !== undefined,
    ),
    people: options.people,
    askHere: isApproved ? approveAll(options.onQuestion) : options.onQuestion,
    report(event) {
      if (event.type === 'inputs_hidden') secrets.hideInputs(event.sensitive)
      report(event)
    },
    interrupt,
    control,
  })
  let isOver = false
  /** Called after every failure too: a run that no process executes must not stay owned by this one. */
  const release = (): void => {
    stream.end()
    control.close()
    try {
      queue.close()
      database.close()
    } finally {
      run.ownership.release(isOver)
    }
  }
  const execute = async (): Promise<RunReport> => {
    // The caller gets the handle before the first event.
    await new Promise((resolve) => setImmediate(resolve))
    const startedAt = new Date(run.startedAtMs).toISOString()
    const walk = (): Promise<RunOutcome> =>
      interpret(
        changed.plan,
        run.inputs,
        {
          id,
          started_at: startedAt,
          sealKey: readSealKey(database, id),
          ...(callbacks === undefined ? {} : { callbacks }),
        },
        host,
      )
    const outcome = refuse(run.refusal, report) ?? openControl(control) ?? (await walk())
    control.close()
    const endedAtMs = clock.now()
    const ended = await writeEnd({ id, database }, queue, outcome, endedAtMs, notices)
    isOver = ended.status === 'succeeded' || ended.status === 'cancelled'
    return {
      run_id: id,
      runbook: plan.name,
      ...ended,
      started_at: startedAt,
      ended_at: new Date(endedAtMs).toISOString(),
      steps: recorder.steps(),
      artifacts_dir: artifactsFolder(options.dataDir, id),
    }
  }
  const result = execute().finally(release)
  return {
    runId: id,
    isJoined: false,
    events: stream,
    result,
    cancel: () => control.request({ kind: 'cancel', by: systemIdentity() }),
    interrupt() {
      // Recorded before the run stops, since the process may be killed from here on.
      if (!run.isAutomatic) queue.append(() => recordStop(database, id)).catch(() => {})
      interrupt.cancel({ code: 'Interrupted', message: 'the run was asked to stop' })
    },
  }
}

function refuse(error: ErrorData | undefined, report: (event: RunEvent) => void): RunOutcome | undefined {
  if (!error) return undefined
  const outcome = { status: 'failed', error } as const
  report({ type: 'run_finished', ...outcome })
  return outcome
}

/** Opens the control requests of the run. If they cannot be read, the run ends as interrupted before its first step. */
function openControl(control: RunControl): RunOutcome | undefined {
  try {
    control.open()
    return undefined
  } catch (cause) {
    const message = `cannot read the control requests of the run: ${(cause as Error).message}`
    return { status: 'interrupted', error: { code: 'DataDirUnusable', message } }
  }
}

/** Formats times in RFC 3339. The last one is cached, since many events share a millisecond. */
function createIsoTime(): (timeMs: number) => string {
  let lastMs: number | undefined
  let last = ''
  return (timeMs) => {
    if (timeMs !== lastMs) last = new Date(timeMs).toISOString()
    lastMs = timeMs
    return last
  }
}

/** Records the steps and the events of a run. */
interface Recorder {
  take(event: TimedRunEvent): void
  steps(): RunReport['steps']
}

function createRecorder({ id, plan, database, isNew }: OwnedRun, queue: CommitQueue): Recorder {
  const index = createPlanIndex(plan)
  const rows = openStepRows(database, id)
  const records = createStepRecords(index, rows, isNew)
  const isReplay = createReplayFilter(index, rows, isNew)
  const log = openEventLog(database, queue, id)
  return {
    take(event) {
      if (!isKeptInLog(event) || isReplay(event)) return
      for (const { record, position } of records.take(event)) queue.batch(() => rows.write(record, position))
      log.write(event)
    },
    steps: () => records.list(),
  }
}

/** Records the end of the run. A failed write makes a success a failure; any other status stays. */
async function writeEnd(
  { id, database }: Pick<OwnedRun, 'id' | 'database'>,
  queue: CommitQueue,
  outcome: RunOutcome,
  endedAtMs: number,
  notices: NoticeWriter,
): Promise<RunOutcome> {
  const orFailed = (problem: unknown): RunOutcome =>
    problem !== undefined && outcome.status === 'succeeded'
      ? { ...outcome, status: 'failed', error: errorData(problem) }
      : outcome
  queue.flush()
  const ended = orFailed(queue.lost)
  try {
    await queue.append(() => {
      endRun(database, id, ended, endedAtMs)
      notices.ended(ended, endedAtMs)
    })
    return ended
  } catch (error) {
    return orFailed(error)
  }
}

/** Calls a listener. Its failure does not affect the run. */
function notifyListener(listener: EngineOptions['onEvent'], event: TimedRunEvent): void {
  try {
    listener?.(event)
  } catch {
    // Only this listener misses the event; the log has it.
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
