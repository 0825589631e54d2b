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
import { interpret, type RunOutcome } from '../../../core/interpret.ts'
import { nothingCarried } from '../carried.ts'
import { outcomeMemo, type RunStart } from '../messages.ts'
import { createAmendedCalls } from './amended-calls.ts'
import { createRecorder } from './create-recorder.ts'
import { createDrain } from './drain.ts'
import { createQuestions } from './questions.ts'
import { requireReadable } from './require-readable.ts'
import { createRunControl } from './run-control.ts'
import { createRunHost } from './run-host.ts'
import { serveClients } from './serve-clients.ts'
import { createWorkflowMemory } from './workflow-memory.ts'

/**
 * Carries out one run: the interpreter, with a host that makes each attempt an activity. Answers with the outcome of a
 * run that succeeded. Any other outcome is the details of the failure that the workflow ends with, and its type is the
 * code of the error: whoever looks at the list of workflows sees which runs did not succeed. The outcome of a workflow
 * that the server calls cancelled is in its memo.
 *
 * Before its history becomes too long, the run goes on in another execution of the workflow: nothing new is begun, what
 * is on its way ends, and what was done is carried along.
 */
export async function opsbookRun(start: RunStart): Promise<RunOutcome> {
  requireReadable(start)
  const { carried = nothingCarried } = start
  const memory = createWorkflowMemory(carried)
  const recorder = createRecorder({ start, carried, executionId: workflowInfo().runId })
  const control = createRunControl({ report: recorder.report, memory, wishes: carried.wishes })
  const questions = createQuestions({ start, asked: carried.questions, memory })
  const drain = createDrain(start)
  const amended = carried.amended && createAmendedCalls(start, carried.amended)
  const plan = skipSteps(start.plan, carried.amended?.words.skip ?? [])
  const parts = { start, carried, recorder, control, questions, memory, drain, amended }
  const clients = serveClients(parts)
  CancellationScope.current().cancelRequested.catch(() => control.cancelledByServer())
  // What is cancelled, and when, is for the interpreter to say: clean-up goes on.
  let outcome =
    start.keeps ??
    (await CancellationScope.nonCancellable(async () => {
      const run = { id: start.runId, started_at: new Date(start.startedAtMs).toISOString() }
      return interpret(plan, start.inputs, run, createRunHost(parts))
    }))
  if (outcome.status === 'interrupted' && drain.isBegun()) {
    // Also where the server was asked to cancel it: the clean-up that is left belongs to the next execution.
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished))
    const next = { ...start, carried: clients.carry(outcome) }
    const { length } = JSON.stringify(next)
    if (length <= mostCarriedLength) await continueAsNew<typeof opsbookRun>(next)
    outcome = tooLarge(length)
    recorder.report({ type: 'run_finished', ...outcome })
  }
  clients.end(outcome)
  return settle(outcome, CancellationScope.current().consideredCancelled)
}

/**
 * What a run takes along is compressed, mostly to a fifth and less, and may then be 2 MiB: the server ends a run that
 * brings more, without a word to it.
 */
const mostCarriedLength = 4 * 1024 * 1024

function tooLarge(length: number): RunOutcome {
  const message = `what the run would take along into its next execution is ${Math.ceil(length / 1024)} KiB, over ${mostCarriedLength / 1024} KiB; let steps that are called often answer less, or write it to files with save-as`
  return { status: 'failed', error: { code: 'RunStateTooLarge', message } }
}

function settle(outcome: RunOutcome, isCancelled: boolean): RunOutcome {
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
    message: error?.message ?? status,
    type,
    nonRetryable: true,
    details: [outcome],
    category: 'BENIGN',
  })
}
