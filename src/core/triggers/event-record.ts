import type { JsonObject, JsonValue } from '../json.ts'

export type { TriggerSource } from '../record/run-record.ts'

/** Why a trigger starts nothing: all reasons that there are. */
export const noStartReasons = [
  /** Its condition is false. */
  'where_false',
  /** One of its expressions failed on this event. */
  'mapping_failed',
  /** What `with` gives does not fit the inputs of the runbook. */
  'inputs_invalid',
  /** A run of this runbook has been started for the same dedupe key. */
  'duplicate',
  /** The last start for the same key is not long enough ago. */
  'cooldown',
  /** The trigger has started as many runs as it may in this period. */
  'start_limit_reached',
  /** A run for the same concurrency key is in progress, and the runbook has `skip` or `reject`. */
  'concurrency',
  /** A person has paused all triggers. */
  'paused',
] as const

export type NoStartReason = (typeof noStartReasons)[number]

/** What was decided of an event for one trigger: the run it started, or why it started none. */
export interface EventDecision {
  readonly runbook: string
  /** Place of the trigger in the list of its runbook. */
  readonly trigger: number
  /** The run that was started; with `because`, the one on account of which none was. */
  readonly run_id?: string
  /** Left out: a run was started. */
  readonly because?: NoStartReason
  /** For people, with `because`. */
  readonly message?: string
  readonly details?: JsonObject
}

/** A step that took an event. */
export interface TakenBy {
  readonly run_id: string
  readonly path: string
}

/** An event that came in, and what was decided of it. */
export interface EventRecord {
  readonly hook: string
  readonly event_id: string
  readonly type: string
  /** RFC 3339. */
  readonly received_at: string
  /** How often it was delivered. */
  readonly deliveries: number
  readonly starts: readonly EventDecision[]
  /** The steps of runs that waited for it; left out: none did. */
  readonly taken?: readonly TakenBy[]
  /** What triggers see of it as `event`; left out: it was too large to be kept. */
  readonly body?: JsonValue
}

/** Splits `hook/id`; the hook of a callback is `callbacks/RUN/NAME`. Undefined: there is no hook in it. */
export function splitEventName(name: string): { readonly hook: string; readonly id: string } | undefined {
  const [, hook, id] = /^(callbacks\/[^/]+\/[^/]+|[^/]+)\/(.+)$/s.exec(name) ?? []
  return hook === undefined || id === undefined ? undefined : { hook, id }
}

/** Deliveries to hooks that were refused alike within a minute. */
export interface RefusedDelivery {
  /** Left out where there is no hook of that name. */
  readonly hook?: string
  readonly status: number
  readonly reason: string
  readonly count: number
  /** RFC 3339. */
  readonly first_at: string
  readonly last_at: string
}
