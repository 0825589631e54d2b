import type { JsonObject } from '../json.ts'
import type { ErrorData } from '../run-error.ts'
import type { ControlRequest } from './control-request.ts'
import type { Identity } from './identity.ts'

/** One time that a run was carried on. */
export interface ResumeRecord {
  /** From 1. */
  readonly number: number
  readonly by: Identity
  /** RFC 3339. */
  readonly at: string
  /** What was asked for besides going on, such as steps to repeat. */
  readonly amendment?: JsonObject
  /** Hash of the plan until then, where it was changed. */
  readonly plan_hash_before?: string
  /** The inputs until then, where they were changed. */
  readonly inputs_before?: JsonObject
}

/** How a person has settled what became of a call that nobody was sure of. */
export interface DecisionRecord {
  readonly path: string
  /** `cancelled`: the run was cancelled, and nobody wants to know any more. */
  readonly decision: 'succeeded' | 'failed' | 'retry' | 'cancelled'
  readonly by: Identity
  readonly comment?: string
  /** RFC 3339. */
  readonly at: string
  /** What the attempt had come to. */
  readonly error?: ErrorData
}

/** What somebody wanted of the run while it went on. */
export interface ControlRequestRecord extends ControlRequest {
  /** RFC 3339. */
  readonly at: string
  /** RFC 3339: when the process that carried the run out took it up. */
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
