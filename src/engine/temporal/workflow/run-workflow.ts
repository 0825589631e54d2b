import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow'
import { skipSteps } from '../../../core/amend/skip-steps.ts'
import type { Host } from '../../../core/host.ts'
import { interpret, type RunOutcome } from '../../../core/interpret.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { type Carried, nothingCarried } from '../carried.ts'
import { outcomeMemo, type RunStart, type ScheduledStart } from '../messages.ts'
import { isRunType } from '../run-type.ts'
import { createAmendedCalls } from './amended-calls.ts'
import { askForCancellation } from './canceller.ts'
import { createRecorder } from './create-recorder.ts'
import { createDrain, mostCarriedBytes } from './drain.ts'
import { createLogWriter } from './log-writer.ts'
import { packedBytes } from './packed-size.ts'
import { createQuestions } from './questions.ts'
import { requireReadable } from './require-readable.ts'
import { createRunControl } from './run-control.ts'
import { createRunHost } from './run-host.ts'
import { serveClients } from './serve-clients.ts'
import { startOf } from './start-of.ts'
import { createPeopleTeller } from './tell-people.ts'
import { createWorkflowMemory } from './workflow-memory.ts'

/**
 * Carries out one run: the interpreter, with a host that makes each attempt an activity. Answers with the outcome of a
 * run that succeeded. Any other outcome is the details of the failure that the workflow ends with, and its type is the
 * code of the error: whoever looks at the list of workflows sees which runs did not succeed. The outcome of a workflow
 * that the server calls cancelled is in its memo.
 *
 * Before its history becomes too long, the run continues as new: nothing new is begun, what is on its way ends, and what
 * was done is carried along. Each execution leaves its log in its history before it ends.
 */
export async function runbookRun(given: RunStart | ScheduledStart): Promise<RunOutcome> {
  refuseOtherTypes()
  const start = startOf(given)
  requireReadable(start)
  const { carried = nothingCarried } = start
  const memory = createWorkflowMemory(carried)
  const recorder = createRecorder({ start, carried, executionId: workflowInfo().runId })
  const log = createLogWriter(recorder, carried.lastSeq)
  const control = createRunControl({
    report: recorder.report,
    memory,
    control_requests: carried.control_requests,
  })
  const amended = carried.amended && createAmendedCalls(start, carried.amended)
  const plan = skipSteps(start.plan, carried.amended?.words.skip ?? [])
  const people = createPeopleTeller({ start, carried })
  const questions = createQuestions({ start, asked: carried.questions, memory, tell: people.asked })
  const next = (outcome: Pick<RunOutcome, 'warnings' | 'warnings_left_out'> = {}): RunStart => ({
    ...start,
    carried: { ...clients.carry(outcome), ...people.carry() },
  })
  let stuck: ErrorData | undefined
  const drain = createDrain(start, {
    measure: () => packedBytes(next()),
    onStuck(bytes) {
      stuck = tooLarge(bytes)
      control.giveUp(stuck)
    },
  })
  const parts = { start, carried, recorder, control, questions, memory, drain, people, amended }
  const clients = serveClients(parts)
  // Whoever cancels through us says so twice: in words, and to the server.
  CancellationScope.current().cancelRequested.catch(() =>
    control.cancelOnce({ name: 'temporal', source: 'server' }),
  )
  // What is cancelled, and when, is for the interpreter to say: clean-up goes on.
  const carryOut = async (): Promise<RunOutcome> => {
    const run = { id: start.runId, started_at: new Date(start.startedAtMs).toISOString() }
    const host = createRunHost(parts)
    const report: Host['report'] = (event) =>
      host.report(event.type === 'run_finished' ? failedFor(stuck, event) : event)
    const ended = await interpret(plan, start.inputs, run, { ...host, report })
    return failedFor(stuck, ended)
  }
  let outcome = start.keeps ?? (await CancellationScope.nonCancellable(carryOut))
  if (outcome.status === 'interrupted' && drain.isBegun()) {
    // Also where the server was asked to cancel it: the clean-up that is left belongs to the next execution.
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished))
    await people.handedOver()
    await log.write()
    const carrying = next(outcome)
    const bytes = packedBytes(carrying)
    if (bytes <= mostCarriedBytes) await continueAsNew<typeof runbookRun>(carrying)
    // What was on its way has answered too much, and nothing can be called any more.
    outcome = { status: 'failed', error: tooLarge(bytes) }
    recorder.report({ type: 'run_finished', ...outcome })
  }
  clients.end(outcome)
  // They have been told of it by the execution that ended so.
  if (!start.keeps) people.ended(outcome)
  await people.handedOver()
  const scope = CancellationScope.current()
  // What it was told in words, or before it went on as this execution, the server has not been asked for.
  const isUnasked = outcome.status === 'cancelled' && !scope.consideredCancelled
  if (isUnasked && start.endsAsCancelled) await askForCancellation(start.runId)
  if (isLong(carried)) await log.write(clients.state)
  return settle(outcome, start, scope.consideredCancelled)
}

/** A history of so many events is replayed at once by any worker, and a marker would cost a fifth of a run of one step. */
const shortHistory = 200

/** Whether clients read the log from the history of the run that has ended, and ask no worker. */
function isLong({ lastSeq }: Carried): boolean {
  return lastSeq > 0 || workflowInfo().historyLength > shortHistory
}

/** Fails the workflow task, as the SDK does for a type without a function: a worker that has one can take it. */
function refuseOtherTypes(): void {
  const { workflowType } = workflowInfo()
  if (!isRunType(workflowType)) throw new TypeError(`no workflow of the type ${workflowType} is registered`)
}

function tooLarge(bytes: number): ErrorData {
  const message = `what the run would take along into its next execution can be ${Math.ceil(bytes / 1024)} KiB, over ${mostCarriedBytes / 1024} KiB; let steps that are called often answer less, or write it to files with save-as`
  return { code: 'RunStateTooLarge', message }
}

/** For the interpreter it was cancelled, clean-up and all; nobody wanted that. */
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
  // Only what the server was asked to cancel can be called so by it.
  if (status === 'cancelled' && isCancelled) {
    // All that the server keeps of a cancelled workflow is that it was: no details.
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
