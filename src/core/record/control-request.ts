import type { RunEvent } from '../events.ts'
import type { ErrorData } from '../run-error.ts'
import type { Identity } from './identity.ts'

/** What people can want of a run that goes on: `cancel-now` gives clean-up up as well. */
export type ControlKind = 'cancel' | 'cancel-now' | 'pause' | 'unpause'

/** What somebody wants of a run. */
export interface ControlRequest {
  readonly kind: ControlKind
  /** Who wants it. */
  readonly by: Identity
  readonly comment?: string
}

const eventTypes = {
  cancel: 'run_cancelling',
  'cancel-now': 'run_cancelling',
  pause: 'run_paused',
  unpause: 'run_unpaused',
} as const

/** What the log of the run tells of it. */
export function controlEvent({ kind, by, comment }: ControlRequest): RunEvent {
  const isNow = kind === 'cancel-now' ? ({ is_now: true } as const) : {}
  return { type: eventTypes[kind], by, ...(comment === undefined ? {} : { comment }), ...isNow }
}

/** What a run that people cancel comes to. */
export const runCancelled: ErrorData = { code: 'Cancelled', message: 'the run was cancelled' }
