import { createRunSecrets, noSecrets } from '../../../actions/index.ts'
import type { RunEvent } from '../../../core/events.ts'
import { callbackTokens } from '../../../core/hooks/index.ts'
import { type CancellationSource, createCancellation, type Host } from '../../../core/host/index.ts'
import { interpret, type RunContext, type RunOutcome } from '../../../core/interpret.ts'
import { givenInAdvance } from '../../../core/people/index.ts'
import { type Plan, secretNames } from '../../../core/plan/index.ts'
import { createReplayOrder, sensitiveInputs } from '../../../core/record/index.ts'
import { type ErrorData, errorData } from '../../../core/run-error.ts'
import { artifactsFolder, type Clock, systemClock } from '../../attempt/index.ts'
import { pageOfRun, type RunHandle, type RunReport, systemIdentity } from '../../record/index.ts'
import { openRunCallbacks } from '../callbacks/run-callbacks.ts'
import { type CommitQueue, createCommitQueue } from '../database/commit-queue.ts'
import { openChangedWork } from '../resume/reusable-results.ts'
import { openControlRequestRows } from '../tables/control-request-rows.ts'
import { openFirstReached } from '../tables/first-reached.ts'
import { openQuestionRows } from '../tables/question-rows.ts'
import { endRun, readSealKey, recordStop } from '../tables/run-rows.ts'
import { createArtifacts } from './artifacts.ts'
import { openEventInbox } from './event-inbox.ts'
import { openJournal } from './journal.ts'
import { approveAll } from './question-log.ts'
import { createRunControl, type RunControl } from './run-control.ts'
import { openRunEvents, type RunEvents } from './run-events.ts'
import { createEmbeddedHost } from './run-host.ts'
import type { EngineOptions, OwnedRun } from './run-options.ts'

/** Executes a run to its end, then closes its database and releases its ownership. */
export function driveRun(run: OwnedRun, options: EngineOptions): RunHandle {
  const { id, database } = run
  const open = openRun(run, options)
  const { queue, events, control, interrupt } = open
  let isOver = false
  /** Called after every failure too: a run that no process executes must not stay owned by this one. */
  const release = (): void => {
    events.end()
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
    const outcome =
      refuse(run.refusal, events.report) ?? openControl(control) ?? (await walk(run, open, startedAt))
    control.close()
    const endedAtMs = open.clock.now()
    const ended = await writeEnd(run, open, outcome, endedAtMs)
    isOver = ended.status === 'succeeded' || ended.status === 'cancelled'
    return {
      run_id: id,
      runbook: run.plan.name,
      ...ended,
      started_at: startedAt,
      ended_at: new Date(endedAtMs).toISOString(),
      steps: events.steps(),
      artifacts_dir: artifactsFolder(options.dataDir, id),
    }
  }
  const result = execute().finally(release)
  return {
    runId: id,
    isJoined: false,
    events: events.stream,
    result,
    cancel: () => control.request({ kind: 'cancel', by: systemIdentity() }),
    interrupt() {
      // Recorded before the run stops, since the process may be killed from here on.
      if (!run.isAutomatic) queue.append(() => recordStop(database, id)).catch(() => {})
      interrupt.cancel({ code: 'Interrupted', message: 'the run was asked to stop' })
    },
  }
}

/** What executes a run. */
interface OpenRun {
  /** With the changes of the last resume. */
  readonly plan: Plan
  readonly addresses: Pick<RunContext, 'callbacks' | 'url'>
  readonly host: Host
  readonly events: RunEvents
  readonly control: RunControl
  readonly queue: CommitQueue
  readonly interrupt: CancellationSource
  readonly clock: Clock
}

function openRun(run: OwnedRun, options: EngineOptions): OpenRun {
  const { id, database, isNew } = run
  const { actions, clock = systemClock } = options
  const queue = createCommitQueue(database)
  const interrupt = createCancellation()
  const events = openRunEvents(run, queue, clock, options)
  const { report } = events
  // The previous process may have been killed by a read.
  const awaitsReads = run.isAutomatic === true && !isNew
  const journal = openJournal(database, queue, { runId: id, isNew, awaitsReads })
  const replay = createReplayOrder(journal.entries, setImmediate)
  const controlRows = openControlRequestRows(database, id)
  const control = createRunControl({ rows: controlRows, queue, replay, clock, interrupt, report })
  const artifacts = createArtifacts(artifactsFolder(options.dataDir, id), database, queue, id)
  const { plan, reusable } = openChangedWork(database, run, { queue, artifacts, actions })
  const callbacks = openRunCallbacks({ ...options, database, queue, runId: id, plan })
  const secrets = createRunSecrets(options.secrets ?? noSecrets, secretNames(plan), [
    ...sensitiveInputs(plan.inputs, run.inputs),
    ...callbackTokens(callbacks),
  ])
  const isApproved = options.approve === 'all'
  const host = createEmbeddedHost({
    plan,
    actions,
    connect: run.connect,
    secrets,
    checkInputs: options.checkInputs,
    artifacts,
    reusable,
    queue,
    journal,
    replay,
    clock,
    firstReached: openFirstReached(database, queue, clock, id),
    inbox: openEventInbox({ database, queue, clock, runId: id, interrupt }),
    questions: events.notices.withNotices(
      openQuestionRows(database, id),
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
  const addresses = {
    ...(callbacks === undefined ? {} : { callbacks }),
    ...pageOfRun(id, options.consoleUrl),
  }
  return { plan, addresses, host, events, control, queue, interrupt, clock }
}

function walk({ id, database, inputs }: OwnedRun, open: OpenRun, startedAt: string): Promise<RunOutcome> {
  const context = { id, started_at: startedAt, sealKey: readSealKey(database, id), ...open.addresses }
  return interpret(open.plan, inputs, context, open.host)
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

/** Records the end of the run. A failed write makes a success a failure; any other status stays. */
async function writeEnd(
  { id, database }: OwnedRun,
  { queue, events }: OpenRun,
  outcome: RunOutcome,
  endedAtMs: number,
): Promise<RunOutcome> {
  const orFailed = (problem: unknown): RunOutcome =>
    problem !== undefined && outcome.status === 'succeeded'
      ? { ...outcome, status: 'failed', error: errorData(problem) }
      : outcome
  queue.flush()
  const ended = orFailed(queue.lost())
  try {
    await queue.append(() => {
      endRun(database, id, ended, endedAtMs)
      events.notices.ended(ended, endedAtMs)
    })
    return ended
  } catch (error) {
    return orFailed(error)
  }
}
