import type { CallbackAddresses } from '../../core/hooks/index.ts'
import type { Attempted, CheckedChildInputs, RememberedResult } from '../../core/host/index.ts'
import type { QuestionRecord } from '../../core/people/index.ts'
import type {
  ControlRequestRecord,
  DecisionRecord,
  ResumeRecord,
  StepRecord,
  Warnings,
} from '../../core/record/index.ts'
import type { CallName, Overrides, ReusableResult } from '../../core/resume/index.ts'
import type { SentEvent } from './received-events/listening.ts'

/** An attempt that has ended. Its step has not, and asks for it again. */
export interface ContinuedAttempt {
  readonly path: string
  readonly attempt: number
  readonly action: string
  readonly attempted: Attempted
  readonly requestId?: string | undefined
}

/** A control request, and how many of the attempts in the continued state ended before it. */
export interface ContinuedControlRequest extends ControlRequestRecord {
  readonly after: number
}

/** A call from before the run was resumed with changes, with its outcome as far as it is known. */
export interface ContinuedReusable extends ReusableResult {
  readonly attempted?: Attempted
  readonly requestId?: string
  /** The call was a write. */
  readonly isWrite?: true
}

/** A reusable result that a call has reused. */
export interface TakenReusable extends Pick<CallName, 'path' | 'asked'> {
  readonly reusable: number
  readonly attempt: number
}

/** The last resume with changes, and the results that it can reuse. */
export interface ContinuedChanges {
  /** The number of the resume. */
  readonly number: number
  readonly overrides: Overrides
  /** The names of the actions that send no request. */
  readonly local: readonly string[]
  /** Those of the last generation first. */
  readonly reusables: readonly ContinuedReusable[]
  readonly taken: readonly TakenReusable[]
  /** The reusable results whose calls are made again. */
  readonly givenUp: readonly number[]
  /** The results that calls with other arguments have reused, before and since. */
  readonly kept: readonly Pick<CallName, 'action' | 'asked'>[]
  /** The number of executions before the resume. */
  readonly executionsBefore: number
  /** The number of the last event before the resume. */
  readonly seqBefore: number
}

/** The attempts of a call before its unknown outcome was resolved. The first of them is at this position of all attempts. */
export interface DecidedAttempts {
  readonly path: string
  readonly place: number
  readonly attempts: readonly ContinuedAttempt[]
}

/** The events that came to the hooks of a run and that no step has taken. */
export interface ContinuedInbox {
  /** The start of the run by the clock of the server, in Unix milliseconds. */
  readonly sinceMs: number
  /** The oldest first. */
  readonly kept: readonly SentEvent[]
  /** Hooks and ids of events that steps have taken. */
  readonly taken: readonly string[]
  /** How many were not kept. */
  readonly dropped: number
  /** How many requests the event store has had. */
  readonly requests: number
  /** The addresses of its callbacks, which stay the same. */
  readonly callbacks: CallbackAddresses
}

/** That the run was reset on the server: it does again what the executions that were reset had done. */
export interface ContinuedReset {
  readonly of: readonly string[]
  /** The number of decisions before the last reset. */
  readonly decisionsBefore: number
}

type ByPath<T> = readonly (readonly [path: string, value: T])[]

/**
 * The state that a run hands to its next execution, since the length of a history is limited. Of steps that have ended
 * it holds only what later steps can read.
 */
export interface ContinuedState {
  /** In the order in which they ended. */
  readonly attempts: readonly ContinuedAttempt[]
  /** The results of steps and items. */
  readonly results: ByPath<RememberedResult | 'begun'>
  /** When the run first reached each path that waits. */
  readonly firstReached: ByPath<number>
  /** The working time within each time limit, in milliseconds. */
  readonly worked: ByPath<number>
  /** The checked inputs of child runbooks. */
  readonly inputs: ByPath<CheckedChildInputs>
  /** Sensitive inputs of child runbooks, also of those that have ended. Left out: none. */
  readonly sensitiveInputs?: readonly string[]
  /** Left out: no step waits for events. */
  readonly inbox?: ContinuedInbox
  readonly questions: readonly QuestionRecord[]
  /** The time up to which people were reminded of each open question, in Unix milliseconds. Left out: of none. */
  readonly reminded?: ByPath<number>
  readonly control_requests: readonly ContinuedControlRequest[]
  readonly decisions: readonly DecisionRecord[]
  readonly resumes: readonly ResumeRecord[]
  readonly warnings: Warnings
  /** The events that were emitted of each path that is still open. */
  readonly emitted: ByPath<readonly string[]>
  /** The steps outside of loops, and those in loops that have not ended. */
  readonly steps: readonly StepRecord[]
  /** The executions of the workflow so far, each with the number of its first event. */
  readonly executions: readonly { readonly runId: string; readonly firstSeq: number }[]
  /** Values that no notification may show. */
  readonly sensitive?: readonly string[]
  /** The resolved calls that no resume has used yet: their decisions can be corrected. */
  readonly decided?: readonly DecidedAttempts[]
  /** Left out: the run was never resumed with changes. */
  readonly changed?: ContinuedChanges
  /** The run was resumed: steps that had not ended start again, and emit their events again. */
  readonly isResumed?: true
  /** Left out: the run was never reset. */
  readonly reset?: ContinuedReset
  /** The key of the hashes of approved calls. Left out: the run asks for no approval. */
  readonly sealKey?: string
  /** The number of events so far. */
  readonly lastSeq: number
}

/** The state of a new run. */
export const emptyContinuedState: ContinuedState = {
  attempts: [],
  results: [],
  firstReached: [],
  worked: [],
  inputs: [],
  questions: [],
  control_requests: [],
  decisions: [],
  resumes: [],
  warnings: {},
  emitted: [],
  steps: [],
  executions: [],
  lastSeq: 0,
}

/** The results of steps and items, by their paths. */
export type Results = ReadonlyMap<string, RememberedResult | 'begun'>

/** Whether the run can reach a path again: neither it nor a step around it has succeeded. A failed step can be tried again. */
export function isOpen(path: string, results: Results): boolean {
  return !isSettled(results.get(path)) && !isInsideSettled(path, results)
}

/** Whether a step around a path has succeeded: the run reaches nothing inside of it again. */
export function isInsideSettled(path: string, results: Results): boolean {
  for (let end = path.length - 1; end > 0; end--) {
    const isPart = path[end] === '/' || path[end] === '['
    if (isPart && isSettled(results.get(path.slice(0, end)))) return true
  }
  return false
}

function isSettled(result: RememberedResult | 'begun' | undefined): boolean {
  return typeof result === 'object' && (result.status === 'succeeded' || result.status === 'skipped')
}
