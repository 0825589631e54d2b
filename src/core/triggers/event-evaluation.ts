import type { Identity } from '../events.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { Plan } from '../plan/plan.ts'
import type { TriggerSource } from '../record/run-record.ts'

/** An event that came in, and what it could start. */
export interface EventEvaluation {
  readonly event: IncomingEvent
  /** One for each trigger that the event could fit, in the order of the runbooks and of their triggers. */
  readonly candidates: readonly Candidate[]
}

/** An event as a hook took it. */
export interface IncomingEvent {
  /** The hook it came to. */
  readonly hook: string
  /** What the sender calls it: the same one again is the same event. */
  readonly id: string
  readonly type: string
  /** Unix time in milliseconds. */
  readonly receivedAtMs: number
  /** What triggers see of it as `event`, as far as it is kept. */
  readonly body: JsonValue
  readonly isTrimmed?: boolean
  /** Who has sent a recorded event once more: a starter of its runs. */
  readonly sentBy?: Identity
}

/** What one trigger makes of an event. */
export type Candidate = MatchedCandidate | RejectedCandidate

interface CandidateCommon {
  /** Name of the runbook. */
  readonly runbook: string
  /** Place of the trigger in the list of its runbook. */
  readonly trigger: number
}

/** The trigger wants to start a run. */
export interface MatchedCandidate extends CandidateCommon {
  readonly plan: Plan
  /** Checked, defaults filled in. */
  readonly inputs: JsonObject
  readonly dedupeKey?: string
  /** Without a key: any start of the runbook by an event counts. */
  readonly cooldown?: { readonly key?: string; readonly forMs: number }
  readonly maxStarts: { readonly count: number; readonly perMs: number }
}

/** It does not, and why is known from the event alone. */
export interface RejectedCandidate extends CandidateCommon {
  readonly because: 'where_false' | 'mapping_failed' | 'inputs_invalid'
  readonly message: string
  /** The expression, its place in the file, and the values that it saw; or what the inputs are. */
  readonly details?: JsonObject
}

/** What the runs that an event starts say of it. */
export function eventSource(
  { hook, id, sentBy }: Pick<IncomingEvent, 'hook' | 'id' | 'sentBy'>,
  trigger: number,
): TriggerSource {
  return { kind: 'event', hook, event_id: id, trigger, ...(sentBy === undefined ? {} : { sent_by: sentBy }) }
}
