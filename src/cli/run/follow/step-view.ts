import type { StepStatus, TimedRunEvent } from '../../../core/events.ts'
import type { JsonValue } from '../../../core/json.ts'
import type { ErrorData } from '../../../core/run-error.ts'

/** Why something waits, and until when where that is known (Unix time in milliseconds). */
export interface Wait {
  readonly reason: (TimedRunEvent & { type: 'waiting' })['reason']
  readonly until?: number
  /** What made it wait, for a pause before a repeat. */
  readonly after?: ErrorData
}

/** A step as the views show it. */
export interface StepView {
  readonly path: string
  readonly name?: string
  readonly action: string
  status: StepStatus | 'pending' | 'running'
  startedAt?: number
  endedAt?: number
  attempts: number
  /** Progress of a loop or of a batch. */
  progress?: Progress
  /** What waits at the moment, by the path of the call. */
  readonly waits: Map<string, Wait>
  /** The last failure of each call that has not ended yet. */
  readonly troubles: Map<string, ErrorData>
  error?: ErrorData
  /** The first items that failed, of a loop or of a batch. */
  failures?: readonly ItemFailure[]
  /** How many items a loop or batch had, and how many of them failed. */
  tally?: { readonly total: number; readonly failed: number }
  /** The outputs of a step that made something new. */
  made?: JsonValue
  condition?: string
}

export interface ItemFailure {
  readonly index: number
  readonly code: string
  readonly message: string
}

export interface Progress {
  readonly unit: 'items' | 'groups'
  readonly total: number
  readonly done: number
  readonly failed: number
}

/** A step that has not started. */
export function pendingStep({
  path,
  name,
  action,
}: {
  path: string
  name?: string
  action: string
}): StepView {
  return {
    path,
    action,
    ...(name === undefined ? {} : { name }),
    status: 'pending',
    attempts: 0,
    waits: new Map(),
    troubles: new Map(),
  }
}
