import { ApplicationFailure, workflowInfo } from '@temporalio/workflow'
import type { Plan } from '../../../core/plan/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import { emptyContinuedState } from '../continued-state.ts'
import {
  type ContinuedAnswer,
  continuedStateQuery,
  type EventsAnswer,
  eventsQuery,
  type RunStart,
  type RunStateAnswer,
  type ScheduledStart,
  scheduledTimeAttribute,
  stateQuery,
} from '../messages.ts'
import { onQuery } from './handlers.ts'

/**
 * Fails a run that its worker cannot decrypt, or whose plan it does not understand. Without that, workers would retry the
 * task without end. Clients can read the reason.
 */
export function requireReadable(start: RunStart): void {
  const error = whatIsWrong(start)
  if (!error) return
  const { message } = error
  const event = {
    type: 'run_finished',
    status: 'failed',
    error,
    run_id: '',
    at: new Date().toISOString(),
  } as const
  onQuery<EventsAnswer, [number]>(eventsQuery, () => ({
    events: [{ seq: 1, event }],
    isMore: false,
  }))
  onQuery<RunStateAnswer>(stateQuery, () => ({
    status: 'ended',
    steps: [],
    questions: [],
    resumes: [],
    decisions: [],
    control_requests: [],
  }))
  // A start that cannot be decrypted has no properties.
  if (error.code !== 'PayloadUnreadable') {
    const { continued = emptyContinuedState, ...begun } = start
    onQuery<ContinuedAnswer>(continuedStateQuery, () => ({ start: begun, continued }))
  }
  const details = [{ status: 'failed', error }]
  throw ApplicationFailure.create({ message, type: error.code, nonRetryable: true, details })
}

/** The plans that this version of the interpreter understands. */
const known: Pick<Plan, 'language' | 'version'> = { language: 'opsbook/v1', version: 1 }

function whatIsWrong(start: RunStart): ErrorData | undefined {
  const unreadable = whyUnreadable(start)
  if (unreadable !== undefined) return { code: 'PayloadUnreadable', message: unreadable }
  const { language, version } = start.plan
  if (language === known.language && version === known.version) return undefined
  const message = `the plan is version ${version} of ${language}, and its worker understands version ${known.version} of ${known.language}: a worker of a newer release is needed`
  return { code: 'PlanDrift', message }
}

/** Fails a workflow whose input its worker has no key for. */
export function refuseUnreadable(value: object): void {
  const message = whyUnreadable(value)
  if (message !== undefined) throw ApplicationFailure.nonRetryable(message, 'PayloadUnreadable')
}

/** The start of a run. A run of a schedule has its id and its times from the server. */
export function startOf(given: RunStart | ScheduledStart): RunStart {
  // A start that cannot be decrypted has no properties.
  if (whyUnreadable(given) !== undefined || !('scheduled' in given)) return given as RunStart
  const { scheduled, ...start } = given
  const { workflowId, startTime, searchAttributes } = workflowInfo()
  const [time = startTime] = searchAttributes[scheduledTimeAttribute] ?? []
  return {
    ...start,
    runId: workflowId,
    startedAtMs: startTime.getTime(),
    startedFrom: { kind: 'schedule', ...scheduled, at: new Date(time as Date).toISOString() },
  }
}
