import type { RunEvent } from '../../../../core/events.ts'
import type { AttemptMaker, CallRequest, MadeAttempt, PreparedCall } from '../../../../core/host/index.ts'
import type { ErrorData } from '../../../../core/run-error.ts'
import type { AttemptFacts } from '../../messages.ts'
import type { Drain } from './drain.ts'
import { createScheduler, type SchedulePorts } from './schedule-attempt.ts'

/** What making attempts needs. */
export interface AttemptPorts extends SchedulePorts {
  readonly drain: Pick<Drain, 'check'>
  report(event: RunEvent): void
}

/** After this many lost workers, the action itself counts as what ends them. */
const mostLosses = 10

/** Makes attempts, each as one activity. It schedules another activity only when a worker was lost and the attempt can be repeated. */
export function createAttemptMaker(ports: AttemptPorts): AttemptMaker<PreparedCall>['make'] {
  const schedule = createScheduler(ports)
  return async (call, context) => {
    const { request, safety } = call
    const { path, action } = request
    const startedAtMs = Date.now()
    let mayHaveExecuted = false
    let losses = 0
    let hasWaited = false
    for (let handover = 0; ; handover++) {
      const made = await schedule(call, handover, hasWaited ? startedAtMs : undefined, context)
      hasWaited = made.kind === 'waited'
      if (made.kind === 'waited') {
        ports.drain.check()
        continue
      }
      if (made.kind === 'answered') {
        const { output, requestId, warnings, waitedMs } = made.answer
        reportLog(made.answer, request, ports)
        return { result: { status: 'succeeded', output }, requestId, warnings, waitedMs }
      }
      if (made.kind === 'refused') {
        const { error, waitedMs } = made.refusal
        reportLog(made.refusal, request, ports)
        return { result: { status: 'failed', error }, waitedMs, mayHaveExecuted }
      }
      mayHaveExecuted ||= made.mayHaveExecuted
      if (safety === 'create' && made.mayHaveExecuted) {
        const message = `${action} was begun, and its outcome is unknown: ${made.why}`
        return failed({ code: 'OutcomeUnknown', message, path })
      }
      if (!made.isStopped && ++losses > mostLosses) {
        const message = `${action} was begun ${losses} times, and each time its worker was lost: ${made.why}`
        return failed({ code: 'InternalDefect', message, path })
      }
    }
  }
}

function failed(error: ErrorData): MadeAttempt {
  return { result: { status: 'failed', error } }
}

/** Reports what the action logged at its end. */
function reportLog(
  { logged = [] }: AttemptFacts,
  { path, attempt }: CallRequest,
  { report }: AttemptPorts,
): void {
  for (const line of logged) report({ type: 'logged', path, attempt, ...line })
}
