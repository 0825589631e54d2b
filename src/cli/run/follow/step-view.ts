import type { StepStatus, WaitReason } from '../../../core/events.ts'
import type { JsonValue } from '../../../core/json.ts'
import type { ErrorData } from '../../../core/run-error.ts'

/** Why something waits, and until when where that is known (Unix time in milliseconds). */
export interface Wait {
  readonly reason: WaitReason
  readonly until?: number
  /** What made it wait, for a pause before a repeat. */
  readonly after?: ErrorData
  /** What a person is asked. */
  readonly message?: string
}

/** A step, or an item of a loop, as the views show it. */
export interface StepView {
  readonly path: string
  readonly name?: string
  /** Told of when the run began. */
  readonly isPlanned?: true
  action: string
  status: StepStatus | 'pending' | 'running'
  startedAt?: number
  endedAt?: number
  attempts: number
  /** How far a loop or a batch is. */
  progress?: Progress
  /** What waits at the moment, by the path of the call. */
  readonly waits: Map<string, Wait>
  /** The last failure of each call that has not ended yet. */
  readonly troubles: Map<string, ErrorData>
  /** Steps inside, and those items of a loop that have not ended. */
  readonly inner: Map<string, StepView>
  error?: ErrorData
  /** It failed, and the run goes on all the same. */
  isWarning?: boolean
  /** The failure that a `catch` took the place of. */
  caught?: ErrorData
  /** The first items that failed, of a batch. */
  failures?: readonly ItemFailure[]
  /** The first items that failed, of a loop. */
  readonly failedItems: ErrorData[]
  /** The last failure inside: of a loop that goes on, that of its last item that failed. */
  lastFailure?: ErrorData
  /** How many items a loop or batch had, and how many of them failed. */
  tally?: { readonly total: number; readonly failed: number }
  condition?: string
}

export interface ItemFailure {
  readonly index: number
  readonly code: string
  readonly message: string
}

export interface Progress {
  readonly unit: 'items' | 'groups' | 'steps' | 'branches'
  readonly total: number
  readonly done: number
  readonly failed: number
}

/** What a step made that makes something new. */
export interface Made {
  readonly path: string
  readonly outputs: JsonValue
}

/** A step that has not started. */
export function pendingStep({
  path,
  name,
  action,
  isPlanned,
}: {
  path: string
  name?: string
  action: string
  isPlanned?: true
}): StepView {
  return {
    path,
    action,
    ...(name === undefined ? {} : { name }),
    ...(isPlanned ? { isPlanned } : {}),
    status: 'pending',
    attempts: 0,
    waits: new Map(),
    troubles: new Map(),
    inner: new Map(),
    failedItems: [],
  }
}

/** It will not change any more. */
export function hasEnded({ status }: StepView): boolean {
  return status !== 'running' && status !== 'pending'
}

/** It ended in a way that lets the run go on, and does not happen again when the run is resumed. */
export function isDone({ status, isWarning }: StepView): boolean {
  return status === 'succeeded' || status === 'skipped' || isWarning === true
}
