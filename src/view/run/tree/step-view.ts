import { type FailedItems, isForPerson, type StepStatus, type WaitReason } from '../../../core/events.ts'
import type { JsonValue } from '../../../core/json.ts'
import type { ErrorData } from '../../../core/run-error.ts'

/** Why a call waits, and until when, if known (Unix time in milliseconds). */
export interface Wait {
  readonly reason: WaitReason
  /** Unix time in milliseconds. */
  readonly since: number
  readonly until?: number
  /** The failure before a retry. */
  readonly after?: ErrorData
  /** How many people have answered, of how many. Left out: one is enough, or there is no answer yet. */
  readonly counted?: string
  /** The question of an approval. */
  readonly message?: string
}

/** What a screen shows of a step or a loop item. */
export interface StepView {
  readonly path: string
  readonly name?: string
  /** Known since the run began. */
  readonly isPlanned?: true
  action: string
  status: StepStatus | 'pending' | 'running'
  startedAt?: number
  endedAt?: number
  /** Calls that it made itself. */
  attempts: number
  /** Calls that it made, those inside too: known once it has ended. */
  calls?: number
  /** Of a choice that has ended: the branch that ran. */
  branch?: number
  /** Progress of a loop or a batch. */
  progress?: Progress
  /** Current waits, by the path of the call. */
  readonly waits: Map<string, Wait>
  /** The last failure of each call that has not ended yet. */
  readonly troubles: Map<string, ErrorData>
  /** Steps inside, and those items of a loop that have not ended. */
  readonly inner: Map<string, StepView>
  /** The last line that its action has logged while it runs. */
  said?: string
  error?: ErrorData
  /** It failed, and the run continues. */
  isWarning?: boolean
  /** Something inside of it failed, and that is tolerated. */
  hasTolerated?: boolean
  /** The failure that its `catch` handled. */
  caught?: ErrorData
  /** The last failure inside; for a running loop, that of the last failed item. */
  lastFailure?: ErrorData
  /** The items of a loop or batch that failed. Left out: none did. */
  failed?: FailedItems
  condition?: string
}

export interface Progress {
  readonly unit: 'items' | 'turns' | 'groups' | 'steps' | 'branches'
  readonly total: number
  readonly done: number
  readonly failed: number
}

/** The outputs of a step that creates something. */
export interface CreatedOutputs {
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
  }
}

/** Whether the steps inside belong to items or turns, which are counted. */
export function isLoopView({ progress }: StepView): boolean {
  return progress?.unit === 'items' || progress?.unit === 'turns'
}

/** Whether a step has ended. */
export function hasEnded({ status }: StepView): boolean {
  return status !== 'running' && status !== 'pending'
}

/** Whether a step has completed, so that a resume does not repeat it. */
export function isDone({ status, isWarning }: StepView): boolean {
  return status === 'succeeded' || status === 'skipped' || isWarning === true
}

/** Whether the wait still blocks a call. A question blocks until it is answered or expires. */
export function isWaiting({ until, reason }: Pick<Wait, 'until' | 'reason'>, now: number): boolean {
  return until === undefined || isForPerson(reason) || until > now
}
