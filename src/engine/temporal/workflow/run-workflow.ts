import { ApplicationFailure, CancellationScope, CancelledFailure } from '@temporalio/workflow'
import { interpret, type RunOutcome } from '../../../core/interpret.ts'
import type { RunStart } from '../messages.ts'
import { createRecorder } from './create-recorder.ts'
import { createQuestions } from './questions.ts'
import { createRunControl } from './run-control.ts'
import { createRunHost } from './run-host.ts'
import { serveClients } from './serve-clients.ts'

/**
 * Carries out one run: the interpreter, with a host that makes each attempt an activity. Answers with the outcome of a
 * run that succeeded. Any other outcome is the details of the failure that the workflow ends with, and its type is the
 * code of the error: whoever looks at the list of workflows sees which runs did not succeed.
 */
export async function opsbookRun(start: RunStart): Promise<RunOutcome> {
  const recorder = createRecorder(start)
  const control = createRunControl(recorder.report)
  const questions = createQuestions(start)
  const state = serveClients({ start, recorder, control, questions })
  CancellationScope.current().cancelRequested.catch(() => control.cancelledByServer())
  // What is cancelled, and when, is for the interpreter to say: clean-up goes on.
  const outcome = await CancellationScope.nonCancellable(async () => {
    const host = createRunHost({ start, recorder, control, questions })
    const run = { id: start.runId, started_at: new Date(start.startedAtMs).toISOString() }
    return interpret(start.plan, start.inputs, run, host)
  })
  state.end(outcome)
  return settle(outcome, CancellationScope.current().consideredCancelled)
}

function settle(outcome: RunOutcome, isCancelled: boolean): RunOutcome {
  const { status, error } = outcome
  if (status === 'succeeded') return outcome
  // Only what the server was asked to cancel can be called so by it.
  if (status === 'cancelled' && isCancelled) throw new CancelledFailure('the run was cancelled', [outcome])
  const type = status === 'unknown' ? 'OutcomeUnknown' : (error?.code ?? status)
  throw ApplicationFailure.create({
    message: error?.message ?? status,
    type,
    nonRetryable: true,
    details: [outcome],
    category: 'BENIGN',
  })
}
