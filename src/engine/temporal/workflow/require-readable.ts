import { ApplicationFailure, defineQuery, setHandler } from '@temporalio/workflow'
import type { Plan } from '../../../core/plan.ts'
import { type ErrorData, RunbookError } from '../../../core/run-error.ts'
import { nothingCarried } from '../carried.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import {
  type CarriedAnswer,
  carriedQuery,
  type EventsPage,
  eventsQuery,
  type RunStart,
  type RunStateAnswer,
  stateQuery,
} from '../messages.ts'

/**
 * Ends a run that its worker cannot decrypt, or whose plan it does not understand, where a worker would try again for
 * ever. Whoever looks on is told.
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
  setHandler(defineQuery<EventsPage, [number]>(eventsQuery), () => ({
    events: [{ seq: 1, event }],
    isMore: false,
  }))
  setHandler(defineQuery<RunStateAnswer>(stateQuery), () => ({
    status: 'ended',
    steps: [],
    questions: [],
    resumes: [],
    decisions: [],
    control_requests: [],
  }))
  // What cannot be decrypted has no parts.
  if (error.code !== 'PayloadUnreadable') {
    const { carried = nothingCarried, ...begun } = start
    setHandler(defineQuery<CarriedAnswer>(carriedQuery), () => ({ start: begun, carried }))
  }
  const details = [{ status: 'failed', error }]
  throw ApplicationFailure.create({ message, type: error.code, nonRetryable: true, details })
}

/** What this version of the interpreter understands. */
const known: Pick<Plan, 'language' | 'version'> = { language: 'opsbook/v1', version: 1 }

function whatIsWrong(start: RunStart): ErrorData | undefined {
  const unreadable = whyUnreadable(start)
  if (unreadable !== undefined) return { code: 'PayloadUnreadable', message: unreadable }
  const { language, version } = start.plan
  if (language === known.language && version === known.version) return undefined
  const message = `the plan is version ${version} of ${language}, and its worker understands version ${known.version} of ${known.language}: a worker of a newer release is needed`
  return { code: 'PlanDrift', message }
}

/** Throws `PayloadUnreadable` for what the worker has no key for. */
export function requireReadableOrder(order: object): void {
  const unreadable = whyUnreadable(order)
  if (unreadable !== undefined) throw new RunbookError('PayloadUnreadable', unreadable, { notSent: true })
}
