import type { Safety } from '../../../core/action.ts'
import { attemptStarted, attemptSucceeded } from '../../../core/host/attempt-events.ts'
import type { Recovery } from '../../../core/host/recover-attempt.ts'
import type { Attempted, CallContext, CallRequest } from '../../../core/host.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { withEarlierDoubt } from '../../../core/unknown-outcome.ts'
import type { AttemptAnswer, AttemptFacts, AttemptOrder } from '../messages.ts'
import { actionIn } from './action-in.ts'
import type { AttemptPorts } from './attempt-ports.ts'
import { scheduleAttempt } from './schedule-attempt.ts'

/** How often an attempt is given to another worker before the action is taken to be what ends workers. */
const mostLosses = 10

/**
 * Makes one attempt: more than once only where the worker of one was lost and it can be made again.
 */
export async function beginAttempt(
  request: CallRequest,
  context: CallContext,
  safety: Safety,
  ports: AttemptPorts,
  recovery: Recovery,
): Promise<Attempted & { readonly requestId?: string }> {
  const { path, action } = request
  const startedAtMs = Date.now()
  ports.report(attemptStarted(request))
  let isDoubtful = recovery.kind === 'retry-with-unknown-outcome'
  let losses = 0
  let waits: Pick<AttemptOrder, 'waitsSinceMs'> = {}
  for (let handover = 0; ; handover++) {
    const made = await scheduleAttempt(request, safety, { handover, ...waits }, context, ports)
    waits = made.kind === 'waited' ? { waitsSinceMs: startedAtMs } : {}
    if (made.kind === 'waited') {
      ports.drain.check()
      continue
    }

    if (made.kind === 'answered') return succeeded(made.answer, startedAtMs, request, ports)
    if (made.kind === 'refused') {
      tellLog(made.refusal, request, ports)
      const { error, waitedMs } = made.refusal
      const failure = ended(isDoubtful ? withEarlierDoubt(error, safety) : error, startedAtMs)
      return waitedMs === undefined ? failure : { ...failure, waitedMs }
    }
    isDoubtful ||= made.mayBeDone
    if (safety === 'create' && made.mayBeDone) {
      const message = `${action} was begun, and its outcome is not known: ${made.why}`
      return ended({ code: 'OutcomeUnknown', message, path }, startedAtMs)
    }
    if (!made.isStopped && ++losses > mostLosses) {
      const message = `${action} was begun ${losses} times, and each time its worker was lost: ${made.why}`
      return ended({ code: 'InternalDefect', message, path }, startedAtMs)
    }
  }
}

function succeeded(
  answer: AttemptAnswer,
  startedAtMs: number,
  request: CallRequest,
  ports: AttemptPorts,
): Attempted & { readonly requestId?: string } {
  const { output, requestId, warnings, waitedMs } = answer
  tellLog(answer, request, ports)
  ports.report(attemptSucceeded(request, { output, requestId, warnings }, actionIn(ports.index, request)))
  return {
    status: 'succeeded',
    output,
    startedAtMs,
    endedAtMs: Date.now(),
    ...(waitedMs === undefined ? {} : { waitedMs }),
    ...(requestId === undefined ? {} : { requestId }),
  }
}

/** What the action said meanwhile, told afterwards. */
function tellLog(
  { logged = [] }: AttemptFacts,
  { path, attempt }: CallRequest,
  { report }: AttemptPorts,
): void {
  for (const line of logged) report({ type: 'logged', path, attempt, ...line })
}

function ended(error: ErrorData, startedAtMs: number): Attempted & { readonly status: 'failed' } {
  return { status: 'failed', error, startedAtMs, endedAtMs: Date.now() }
}
