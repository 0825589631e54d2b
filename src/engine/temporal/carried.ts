import type { Words } from '../../core/amend/amendment.ts'
import type { CallName, Seed } from '../../core/amend/seed.ts'
import type { RememberedResult } from '../../core/host/ports.ts'
import type { Attempted, CheckedInputs } from '../../core/host.ts'
import type { ControlRequestRecord, DecisionRecord, ResumeRecord } from '../../core/record/run-history.ts'
import type { QuestionRecord, StepRecord } from '../../core/record/run-record.ts'
import type { Warnings } from '../../core/run-memory.ts'

/** One attempt that has ended, and that a step which has not ended may ask for again. */
export interface CarriedAttempt {
  readonly path: string
  readonly attempt: number
  readonly action: string
  readonly attempted: Attempted
  readonly requestId?: string
}

/** What somebody wanted, and after how many of the attempts that are taken along. */
export interface CarriedControlRequest extends ControlRequestRecord {
  readonly after: number
}

/** What was done before a run was amended, with what it came to where it was carried out. */
export interface CarriedSeed extends Seed {
  readonly attempted?: Attempted
  readonly requestId?: string
  /** It changed something elsewhere. */
  readonly isWrite?: true
}

/** A seed that a call has taken over. */
export interface TakenSeed extends Pick<CallName, 'path' | 'asked'> {
  readonly seed: number
  readonly attempt: number
}

/** What a run has been changed by, and what of it was done before. */
export interface CarriedAmendment {
  /** The number of the resume. */
  readonly number: number
  readonly words: Words
  /** The names of the actions that send nothing to anybody. */
  readonly local: readonly string[]
  /** Those set aside last first. */
  readonly seeds: readonly CarriedSeed[]
  readonly taken: readonly TakenSeed[]
  /** The seeds that are made again. */
  readonly givenUp: readonly number[]
  /** What calls with other arguments took over, before and since. */
  readonly kept: readonly Pick<CallName, 'action' | 'asked'>[]
  /** How many executions the run had before it was amended. */
  readonly executionsBefore: number
  /** The number of the last event before that. */
  readonly seqBefore: number
}

/** The attempts of a call until somebody decided about it, the first of them at this place of all. */
export interface DecidedAttempts {
  readonly path: string
  readonly place: number
  readonly attempts: readonly CarriedAttempt[]
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
  readonly results: ByPath<RememberedResult | 'begun'>
  /** When the run first came to places. */
  readonly marks: ByPath<number>
  /** How long was worked within time limits. */
  readonly worked: ByPath<number>
  /** What was found of the inputs of runbooks that steps run. */
  readonly inputs: ByPath<CheckedInputs>
  readonly questions: readonly QuestionRecord[]
  readonly control_requests: readonly CarriedControlRequest[]
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
  /** What has been decided, and nothing has followed from yet: it can be decided otherwise. */
  readonly decided?: readonly DecidedAttempts[]
  /** Left out: nothing has been changed of the run. */
  readonly amended?: CarriedAmendment
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
  control_requests: [],
  decisions: [],
  resumes: [],
  warnings: {},
  told: [],
  steps: [],
  executions: [],
  lastSeq: 0,
}
