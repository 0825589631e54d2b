import type { Identity, RunEvent } from '../events.ts'
import type { JsonObject } from '../json.ts'
import type { ErrorData } from '../run-error.ts'

/** One time that a run was carried on. */
export interface ResumeRecord {
  /** From 1. */
  readonly number: number
  readonly by: Identity
  /** RFC 3339. */
  readonly at: string
  /** The requested changes, such as steps to repeat. */
  readonly changes?: JsonObject
  /** Hash of the plan until then, where it was changed. */
  readonly plan_hash_before?: string
  /** The inputs until then, where they were changed. */
  readonly inputs_before?: JsonObject
}

/** How a person resolved a call with an unknown outcome. */
export interface DecisionRecord {
  readonly path: string
  /** `cancelled`: the user cancelled the run without resolving it. */
  readonly decision: 'succeeded' | 'failed' | 'retry' | 'cancelled'
  readonly by: Identity
  readonly comment?: string
  /** RFC 3339. */
  readonly at: string
  /** What the attempt had come to. */
  readonly error?: ErrorData
}

/** A control request during the run. */
export interface ControlRequestRecord extends ControlRequest {
  /** RFC 3339. */
  readonly at: string
  /** RFC 3339: when the process that executes the run claimed it. */
  readonly taken_at?: string
  /** RFC 3339: since when it counts no more, since the run has ended. */
  readonly over_at?: string
}

/** What people have done to a run, each in the order in which it was done. */
export interface RunHistory {
  readonly resumes: readonly ResumeRecord[]
  readonly decisions: readonly DecisionRecord[]
  readonly control_requests: readonly ControlRequestRecord[]
}

/** A control request: `cancel-now` abandons clean-up as well. */
export type ControlKind = 'cancel' | 'cancel-now' | 'pause' | 'unpause'

/** A request of a user to control a run. */
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

/** The event of a control request in the log of the run. */
export function controlEvent({ kind, by, comment }: ControlRequest): RunEvent {
  const isNow = kind === 'cancel-now' ? ({ is_now: true } as const) : {}
  return { type: eventTypes[kind], by, ...(comment === undefined ? {} : { comment }), ...isNow }
}

/** What a run that people cancel comes to. */
export const runCancelled: ErrorData = { code: 'Cancelled', message: 'the run was cancelled' }

/** Who has started a run by hand, or has sent the event that started it once more. */
export function startersOf(
  by: Identity | undefined,
  from: { readonly kind: string; readonly sent_by?: Identity } | undefined,
): readonly Identity[] {
  const person = from === undefined ? by : from.sent_by
  return person === undefined ? [] : [person]
}

/** Who has changed a run: by a resume with changes, or by saying what a call with an unknown outcome has answered. */
export function changedBy({
  resumes,
  decisions,
}: Pick<RunHistory, 'resumes' | 'decisions'>): readonly Identity[] {
  return [
    ...resumes.filter(({ changes }) => changes !== undefined),
    ...decisions.filter(({ decision }) => decision === 'succeeded'),
  ].map(({ by }) => by)
}
