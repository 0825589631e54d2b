import type { Attempted, CheckedInputs } from '../../core/host.ts'
import type { DecisionRecord, ResumeRecord, WishRecord } from '../../core/record/run-history.ts'
import type { QuestionRecord, StepRecord } from '../../core/record/run-record.ts'
import type { Warnings } from '../../core/run-memory.ts'
import type { StepResult } from '../../core/steps/step-result.ts'

/** One attempt that has ended, and that a step which has not ended may ask for again. */
export interface CarriedAttempt {
  readonly path: string
  readonly attempt: number
  readonly action: string
  readonly attempted: Attempted
  readonly requestId?: string
}

/** What somebody wanted, and after how many of the attempts that are taken along. */
export interface CarriedWish extends WishRecord {
  readonly after: number
}

type ByPath<T> = readonly (readonly [path: string, value: T])[]

/**
 * What a run takes along when it goes on in another execution of its workflow: a history may only become so long. Of
 * what is over only what can still be read.
 */
export interface Carried {
  /** In the order in which they ended. */
  readonly attempts: readonly CarriedAttempt[]
  /** What steps and items have come to. */
  readonly results: ByPath<StepResult | 'begun'>
  /** When the run first came to places. */
  readonly marks: ByPath<number>
  /** How long was worked within time limits. */
  readonly worked: ByPath<number>
  /** What was found of the inputs of runbooks that steps run. */
  readonly inputs: ByPath<CheckedInputs>
  readonly questions: readonly QuestionRecord[]
  readonly wishes: readonly CarriedWish[]
  readonly decisions: readonly DecisionRecord[]
  readonly resumes: readonly ResumeRecord[]
  readonly warnings: Warnings
  /** What has been told of what is not over. */
  readonly told: ByPath<readonly string[]>
  /** Those outside of loops, and those inside that have not ended. */
  readonly steps: readonly StepRecord[]
  /** The executions of the workflow so far, each with the number of its first event. */
  readonly executions: readonly { readonly runId: string; readonly firstSeq: number }[]
  /** Values that must not be seen in what people are told. */
  readonly sensitive?: readonly string[]
  /** Somebody has resumed the run: what had not ended begins anew, and is told of anew. */
  readonly isResumed?: true
  /** How many events there have been. */
  readonly lastSeq: number
}

/** What a run that begins takes along. */
export const nothingCarried: Carried = {
  attempts: [],
  results: [],
  marks: [],
  worked: [],
  inputs: [],
  questions: [],
  wishes: [],
  decisions: [],
  resumes: [],
  warnings: {},
  told: [],
  steps: [],
  executions: [],
  lastSeq: 0,
}
