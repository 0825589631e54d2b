import {
  type ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  proxyLocalActivities,
  sleep,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow'
import { type CallbackAddresses, callbackTokens } from '../../../../core/hooks/index.ts'
import { createCancellation, type Host } from '../../../../core/host/index.ts'
import { interpret, type RunContext, type RunOutcome } from '../../../../core/interpret.ts'
import { asksForApproval, readsUrl } from '../../../../core/plan/index.ts'
import { skipSteps } from '../../../../core/resume/index.ts'
import type { ErrorData } from '../../../../core/run-error.ts'
import { recordedTime } from '../../../../core/times/index.ts'
import { type ContinuedState, emptyContinuedState } from '../../continued-state.ts'
import {
  outcomeMemo,
  pageActivity,
  type RunStart,
  type ScheduledStart,
  sealKeyActivity,
} from '../../messages.ts'
import { isRunType } from '../../run-listing.ts'
import { startOfTime } from '../concurrency/start-decided.ts'
import { createNotifier } from '../notifications/notifier.ts'
import { packedBytes } from '../packed-size.ts'
import { requireReadable, startOf } from '../require-readable.ts'
import { askForCancellation } from './ask-for-cancellation.ts'
import { createDrain, maxContinuedBytes, tooLarge } from './drain.ts'
import { createInbox } from './event-inbox.ts'
import { createLineWait } from './line-wait.ts'
import { createQuestions } from './questions.ts'
import { createResumedCalls } from './resumed-calls.ts'
import { createRunControl } from './run-control.ts'
import { createWorkflowHost } from './run-host.ts'
import { createLogWriter, createRecorder, type LogWriter } from './run-log.ts'
import type { RunParts } from './run-parts.ts'
import { type ServedClients, serveClients } from './serve-clients.ts'
import { createWorkflowMemory } from './workflow-memory.ts'

/**
 * Runs one runbook with the interpreter, each attempt as an activity. Returns the outcome of a run that succeeded. The
 * workflow of any other run fails: the type of its failure is the error code, its details are the outcome. The outcome
 * of a run that the server lists as cancelled is in its memo.
 *
 * Before its history becomes too long, the run continues as new. It starts nothing new then, waits for its calls, and
 * hands its state to the next execution. Each execution writes its log into its history before it ends.
 */
export async function runbookRun(given: RunStart | ScheduledStart): Promise<RunOutcome> {
  refuseOtherTypes()
  const begun = startOf(given)
  requireReadable(begun)
  const asked = 'scheduled' in given && begun.line?.refuses ? await startOfTime(begun) : begun
  if (!asked) return { status: 'cancelled' }
  const start = isReset() ? withReset(asked) : asked
  const run = createRun(start)
  const { continued, recorder, notifier, log, clients, drain } = run
  // The interpreter decides what is cancelled, and when: clean-up continues after a cancellation.
  let outcome = start.keeps ?? (await CancellationScope.nonCancellable(() => interpretWithKey(run)))
  if (outcome.status === 'interrupted' && drain.isBegun()) {
    // After a cancellation at the server, too: the rest of the clean-up belongs to the next execution.
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished))
    await notifier.allStarted()
    do {
      await log.write()
      // A task in which an event arrives is repeated. Its replay passes markers before the event, but no timer.
      if (run.inbox.carry().inbox) await CancellationScope.nonCancellable(() => sleep(1))
    } while (!log.isWhole())
    const next = nextStart(run, outcome)
    const bytes = packedBytes(next)
    if (bytes <= maxContinuedBytes) await continueAsNew<typeof runbookRun>(next)
    // The last answers were too large, and nothing can be called any more.
    outcome = { status: 'failed', error: tooLarge(bytes) }
    recorder.report({ type: 'run_finished', ...outcome })
  }
  await CancellationScope.nonCancellable(async () => {
    await run.inbox.leave()
    await run.lineWait?.leave()
  })
  clients.end(outcome)
  // The execution that ended with this outcome has sent the notification.
  if (!start.keeps) notifier.ended(outcome)
  await notifier.allStarted()
  const scope = CancellationScope.current()
  // Control requests, and requests to earlier executions, do not reach the server as a cancellation of this one.
  if (outcome.status === 'cancelled' && !scope.consideredCancelled) await askForCancellation(scope)
  if (isLong(continued)) await log.write(clients.state)
  return settle(outcome, start, scope.consideredCancelled)
}

/** The server keeps the first id of an execution through all resets of it. */
function isReset(): boolean {
  const { runId, originalExecutionRunId } = workflowInfo()
  return runId !== originalExecutionRunId
}

function withReset({ continued = emptyContinuedState, ...start }: RunStart): RunStart {
  const of = [...(continued.reset?.of ?? []), workflowInfo().originalExecutionRunId]
  return { ...start, continued: { ...continued, reset: { of, decisionsBefore: continued.decisions.length } } }
}

const resetMessage =
  'the run was reset on the Temporal server: creates that it had asked for before have an unknown outcome'

/** The parts of one execution. */
interface Run extends RunParts {
  readonly log: LogWriter
  readonly clients: ServedClients
}

/** Creates first what knows the state of the run, then what reads that state as a whole. */
function createRun(start: RunStart): Run {
  const { continued = emptyContinuedState } = start
  let run: Run | undefined
  const memory = createWorkflowMemory(continued)
  const recorder = createRecorder({ start, continued })
  const log = createLogWriter(recorder, continued.lastSeq)
  const draining = createCancellation()
  const control = createRunControl(continued, memory, draining, recorder.report)
  const changed = continued.changed && createResumedCalls(start, continued.changed)
  const notifier = createNotifier({ start, continued })
  const questions = createQuestions({ start, continued }, draining, recorder.report, notifier)
  const drain = createDrain(start, {
    begun: draining,
    measure: () => run && packedBytes(nextStart(run)),
    onStuck: control.giveUp,
  })
  const inbox = createInbox({ start, continued }, drain)
  const lineWait =
    start.line && !start.keeps ? createLineWait(start.runId, start.line, drain, isReset()) : undefined
  const seal = { key: continued.sealKey }
  const waits = { questions, inbox, lineWait, notifier }
  const known = { start, continued, memory, recorder, control, changed, seal, ...waits }
  run = { ...known, log, drain, clients: serveClients(known) }
  // A client that cancels sends a control request, and a cancellation to the server: the second one changes nothing.
  CancellationScope.current().cancelRequested.catch(() =>
    control.cancelOnce({ name: 'temporal', source: 'server' }),
  )
  return run
}

/** What the next execution is started with. */
function nextStart(
  { start, clients, notifier, lineWait }: Pick<Run, 'start' | 'clients' | 'notifier' | 'lineWait'>,
  outcome: Pick<RunOutcome, 'warnings' | 'warnings_left_out'> = {},
): RunStart {
  const mine = start.line && lineWait?.isMine() ? { line: { ...start.line, isMine: true as const } } : {}
  return { ...start, ...mine, continued: { ...clients.carry(outcome), ...notifier.carry() } }
}

/** Begins when the run has its concurrency key. A new run that is cancelled before, or refused, ends without a step. */
async function interpretWithKey(run: Run): Promise<RunOutcome> {
  const { lineWait, continued, control, recorder } = run
  if (lineWait) {
    // The clean-up of a run that has done something needs the key, too.
    const isNew = continued.lastSeq === 0
    const refusal = await lineWait.wait(() => isNew && control.cancellation.reason !== undefined)
    if (refusal?.status === 'interrupted') return refusal
    const outcome = refusal ?? (lineWait.isWaiting() ? notBegun : undefined)
    if (outcome) {
      recorder.report({ type: 'run_finished', ...outcome })
      return outcome
    }
  }
  return interpretRun(run)
}

const local = proxyLocalActivities<{
  readonly [sealKeyActivity]: () => Promise<string>
  readonly [pageActivity]: (runId: string) => Promise<Pick<RunContext, 'url'>>
}>({
  startToCloseTimeout: '10 seconds',
})

const notBegun: RunOutcome = {
  status: 'cancelled',
  error: { code: 'Cancelled', message: 'the run was cancelled while it waited in line' },
}

async function interpretRun(run: Run): Promise<RunOutcome> {
  const { start, continued, drain } = run
  // The next execution of a run is still registered, unless it had ended: a run that was reset may have.
  if (continued.lastSeq === 0 || continued.isResumed || isReset()) await run.inbox.register()
  const plan = skipSteps(start.plan, continued.changed?.overrides.skip ?? [])
  const host = createWorkflowHost(run)
  let isTold = !isReset()
  const report: Host['report'] = (event) => {
    host.report(event.type === 'run_finished' ? failedFor(drain.stuck(), event) : event)
    if (!isTold) host.report({ type: 'logged', path: '', level: 'warn', message: resetMessage })
    isTold = true
  }
  const callbacks = await makeCallbacks(run)
  if (callbacks && 'refusal' in callbacks) {
    const outcome = { status: 'failed', error: callbacks.refusal } as const
    report({ type: 'run_finished', ...outcome })
    return outcome
  }
  if (asksForApproval(plan)) run.seal.key ??= await local[sealKeyActivity]()
  const page = readsUrl(plan) ? await local[pageActivity](start.runId) : {}
  const facts = {
    ...page,
    id: start.runId,
    started_at: recordedTime(start.startedAtMs),
    ...(callbacks === undefined ? {} : { callbacks: callbacks.addresses }),
    ...(run.seal.key === undefined ? {} : { sealKey: run.seal.key }),
  }
  run.control.replay()
  const outcome = await interpret(plan, start.inputs, facts, { ...host, report })
  return failedFor(drain.stuck(), outcome)
}

/** The addresses of the callbacks of a run, which its attempts mask, or why the run fails before its first step. */
async function makeCallbacks({
  inbox,
  memory,
}: Run): Promise<{ readonly addresses: CallbackAddresses } | { readonly refusal: ErrorData } | undefined> {
  try {
    const addresses = await inbox.callbacks()
    for (const token of callbackTokens(addresses)) memory.sensitiveInputs.add(token)
    return addresses && { addresses }
  } catch (thrown) {
    const { cause } = thrown as ActivityFailure
    if (!(cause instanceof ApplicationFailure) || cause.type !== 'NoPublicUrl') throw thrown
    return { refusal: { code: 'NoPublicUrl', message: cause.message, notSent: true } }
  }
}

/** Any worker replays so short a history in milliseconds, and a marker would cost a fifth of a run of one step. */
const shortHistory = 200

/** Whether clients read the log from the history of the run that has ended, and ask no worker. */
function isLong({ lastSeq }: ContinuedState): boolean {
  return lastSeq > 0 || workflowInfo().historyLength > shortHistory
}

/** Fails the workflow task, as the SDK does for a type without a function: a worker that has one can take it. */
function refuseOtherTypes(): void {
  const { workflowType } = workflowInfo()
  if (!isRunType(workflowType)) throw new TypeError(`no workflow of the type ${workflowType} is registered`)
}

/** A run that is stuck was cancelled for the interpreter, so that it cleans up. It ends as failed. */
function failedFor<T extends RunOutcome>(stuck: ErrorData | undefined, outcome: T): T {
  return stuck && outcome.status === 'cancelled' ? { ...outcome, status: 'failed', error: stuck } : outcome
}

function settle(
  outcome: RunOutcome,
  { hidesMessages }: Pick<RunStart, 'hidesMessages'>,
  isCancelled: boolean,
): RunOutcome {
  const { status, error } = outcome
  if (status === 'succeeded') return outcome
  // The server lists only workflows as cancelled that it was asked to cancel.
  if (status === 'cancelled' && isCancelled) {
    // The server keeps no details of a cancelled workflow.
    upsertMemo({ [outcomeMemo]: outcome })
    throw new CancelledFailure('the run was cancelled')
  }
  const type = status === 'unknown' ? 'OutcomeUnknown' : (error?.code ?? status)
  throw ApplicationFailure.create({
    // The details are encrypted, and the message is not.
    message: hidesMessages ? `the run has ended as ${status}` : (error?.message ?? status),
    type,
    nonRetryable: true,
    details: [outcome],
    category: 'BENIGN',
  })
}
