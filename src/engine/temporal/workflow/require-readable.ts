import { ApplicationFailure, defineQuery, setHandler } from '@temporalio/workflow'
import type { ErrorData } from '../../../core/run-error.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import { type EventsPage, eventsQuery, type RunStart, type RunStateAnswer, stateQuery } from '../messages.ts'

/** Ends a run whose worker cannot decrypt it, where a worker would try again for ever. Whoever looks on is told. */
export function requireReadable(start: RunStart): void {
  const message = whyUnreadable(start)
  if (message === undefined) return
  const error: ErrorData = { code: 'PayloadUnreadable', message }
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
    wishes: [],
  }))
  const details = [{ status: 'failed', error }]
  throw ApplicationFailure.create({ message, type: error.code, nonRetryable: true, details })
}
