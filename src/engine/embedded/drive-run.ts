import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { createRunSecrets } from '../../actions/run-secrets.ts'
import { noSecrets } from '../../actions/secret-store.ts'
import { createCancellation } from '../../core/cancellation.ts'
import type { RunEvent, TimedRunEvent } from '../../core/events.ts'
import { interpret, type RunOutcome } from '../../core/interpret.ts'
import { isKeptInLog } from '../../core/record/kept-in-log.ts'
import { createPlanIndex } from '../../core/record/plan-index.ts'
import { createReplayOrder } from '../../core/record/replay-order.ts'
import { secretNames } from '../../core/record/secret-names.ts'
import { sensitiveInputs } from '../../core/record/sensitive-inputs.ts'
import { createStepRecords } from '../../core/record/step-records.ts'
import { type ErrorData, errorData } from '../../core/run-error.ts'
import { artifactsFolder } from '../attempt/artifact-files.ts'
import { systemClock } from '../attempt/clock.ts'
import type { Connect } from '../attempt/connections.ts'
import { createEventStream } from '../record/event-stream.ts'
import type { RunHandle, RunReport } from '../record/run-handle.ts'
import { systemIdentity } from '../record/system-user.ts'
import { openAmended } from './amend/open-amended.ts'
import { createArtifacts } from './artifacts.ts'
import { approveAll } from './ask-person.ts'
import { type CommitQueue, createCommitQueue } from './commit-queue.ts'
import { openControlRequestRows } from './control-request-rows.ts'
import { openEventLog } from './event-log.ts'
import { openJournal } from './journal.ts'
import { openMarks } from './marks.ts'
import { type NoticeWriter, openNoticeWriter } from './notices.ts'
import type { Ownership } from './ownership.ts'
import { openQuestionRows } from './question-rows.ts'
import { createReplayFilter } from './replay-filter.ts'
import { createRunControl, type RunControl } from './run-control.ts'
import { createRunHost } from './run-host.ts'
import type { EngineOptions } from './run-options.ts'
import { endRun, recordStop, type StoredRun } from './run-rows.ts'
import { openStepRows } from './step-rows.ts'

/** A run that this process may carry out. */
export interface OwnedRun extends Pick<StoredRun, 'id' | 'plan' | 'inputs' | 'startedAtMs'> {
  readonly database: DatabaseSyncInstance
  readonly ownership: Ownership
  readonly connect: Connect
  /** Nothing of it has been done yet. */
  readonly isNew: boolean
  /** No person has asked for it, so an interruption is none by a person either. */
  readonly isAutomatic?: boolean
  /** Why nothing of it can be done here: it fails at once. */
  readonly refusal?: ErrorData
}

/** Carries a run out to its end, closes its database and gives it out of hand. */
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
    tell(options.onEvent, timed)
    stream.push(timed)
  }
  // What is approved in advance waits for nobody.
  const isApproved = options.approve === 'all'
  const questions = openQuestionRows(database, id)
  const notices = openNoticeWriter(database, run, options.notices)
  const journal = openJournal(database, queue, { runId: id, isNew })
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
  const amended = openAmended(database, run, { queue, artifacts, actions })
  const host = createRunHost({
    actions,
    connect: run.connect,
    secrets: createRunSecrets(
      options.secrets ?? noSecrets,
      secretNames(amended.plan),
      sensitiveInputs(amended.plan.inputs, run.inputs),
    ),
    checkInputs: options.checkInputs,
    artifacts,
    seeds: amended.seeds,
    queue,
    journal,
    replay,
    clock,
    marks: openMarks(database, queue, clock, id),
    questions: isApproved ? questions : notices.telling(questions),
    askHere: isApproved ? approveAll : options.onQuestion,
    report,
    interrupt,
    control,
  })
  const carryOut = async (): Promise<RunReport> => {
    // Whoever has started the run gets its handle before the first event.
    await new Promise((resolve) => setImmediate(resolve))
    const startedAt = new Date(run.startedAtMs).toISOString()
    const walk = (): Promise<RunOutcome> =>
      interpret(amended.plan, run.inputs, { id, started_at: startedAt }, host)
    const outcome = refuse(run.refusal, report) ?? openControl(control) ?? (await walk())
    control.close()
    const endedAtMs = clock.now()
    const ended = await writeEnd(run, queue, outcome, endedAtMs, notices)
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
  const result = carryOut().finally(() => stream.end())
  return {
    runId: id,
    isJoined: false,
    events: stream,
    result,
    cancel: () => control.request({ kind: 'cancel', by: systemIdentity() }),
    interrupt() {
      // Before it stops: the process may be ended at any moment from here on.
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

/** Nothing is begun where nobody can say what people want of the run: it is given back as it is. */
function openControl(control: RunControl): RunOutcome | undefined {
  try {
    control.open()
    return undefined
  } catch (cause) {
    const message = `cannot read what is wanted of the run: ${(cause as Error).message}`
    return { status: 'interrupted', error: { code: 'DataDirUnusable', message } }
  }
}

/** Writes times in RFC 3339. Much happens in the same millisecond. */
function createIsoTime(): (timeMs: number) => string {
  let lastMs: number | undefined
  let last = ''
  return (timeMs) => {
    if (timeMs !== lastMs) last = new Date(timeMs).toISOString()
    lastMs = timeMs
    return last
  }
}

/** What a run leaves in the database besides its journal: the records of its steps and its log. */
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
      for (const { record, position } of records.take(event)) queue.gather(() => rows.write(record, position))
      log.write(event)
    },
    steps: () => records.list(),
  }
}

/** A journal that cannot be written is a failure of the run, unless the run has worse to tell. */
async function writeEnd(
  { id, database, ownership }: OwnedRun,
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
  let isOver = false
  try {
    await queue.append(() => {
      endRun(database, id, ended, endedAtMs)
      notices.ended(ended, endedAtMs)
    })
    isOver = ended.status === 'succeeded' || ended.status === 'cancelled'
    return ended
  } catch (error) {
    return orFailed(error)
  } finally {
    // Whatever the one does: a run that nobody carries out must not stay with this process.
    try {
      await queue.close()
      database.close()
    } finally {
      ownership.release(isOver)
    }
  }
}

/** A listener must not be able to hurt the run. */
function tell(listener: EngineOptions['onEvent'], event: TimedRunEvent): void {
  try {
    listener?.(event)
  } catch {
    // The event is lost for this listener only; the log has it.
  }
}
