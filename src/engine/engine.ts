/**
 * What commands need of an engine, whichever it is. Runs are started and resumed through the door of each engine, since
 * that takes other things in each; from then on they look alike.
 */

import type { Safety } from '../core/action.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { Answer, Question } from '../core/host.ts'
import type { JsonValue } from '../core/json.ts'
import type { ControlRequest } from '../core/record/control-request.ts'
import type { Identity } from '../core/record/identity.ts'
import type {
  AttemptRecord,
  RecordedEvent,
  RecordedStatus,
  RunRecord,
  RunStanding,
  RunSummary,
} from '../core/record/run-record.ts'
import type { ErrorData } from '../core/run-error.ts'

/** The runs of one engine, to look at while they go on and to talk to. */
export interface Engine {
  readonly kind: 'embedded' | 'temporal'
  /** Where its runs are, for people. */
  readonly place: string
  /** Whether there can be any runs: nothing has ever been recorded where it is false. */
  hasRuns(): boolean
  /** The newest first. */
  listRuns(filter?: RunFilter): Promise<readonly RunSummary[]>
  /** Where a run stands, and no more than that. Undefined: there is no such run. */
  readStanding(runId: string): Promise<RunStanding | undefined>
  /** Undefined: there is no such run. */
  readRun(runId: string): Promise<RunRecord | undefined>
  /** The id of the run that was started with this key. */
  findRunByKey(key: string): Promise<string | undefined>
  /** The attempts of a run, in the order they began. Can be iterated over again. */
  readAttempts(runId: string): Promise<Iterable<AttemptRecord>>
  /** The log of a run as far as it goes now. Can be iterated over again. */
  readEvents(runId: string): Promise<Iterable<RecordedEvent>>
  /** The writes of a run of which nobody knows whether they were carried out. */
  readUndecided(run: RunRecord): Promise<readonly UndecidedCall[]>
  /**
   * Settles a write of which nobody knew whether it was carried out: by the path of the call, or by the id of its step.
   * Resolves with what of the run is still in doubt; once that is nothing the run can be resumed. Until the run
   * has used a decision, another one takes its place. Rejects with `InvalidInput`, and changes nothing, where nothing is in doubt.
   */
  decideOutcome(runId: string, step: string, verdict: Verdict): Promise<readonly UndecidedCall[]>
  /** The log of a run as it grows. Ends when the run no longer goes on anywhere. */
  followEvents(runId: string, options?: FollowOptions): AsyncIterable<RecordedEvent>
  /**
   * Tells a run what somebody wants of it. Resolves with `false`, and nothing recorded, where nobody carries the run
   * out. Rejects with `InvalidInput` where there is no such run, or where it has ended.
   */
  requestControl(runId: string, controlRequest: ControlRequest): Promise<boolean>
  /**
   * Answers what a step asks, and resolves with the path of the step. Rejects with `InvalidInput`, and changes nothing,
   * where no such step asks.
   */
  answerQuestion(runId: string, step: string, answer: GivenAnswer): Promise<string>
  /**
   * Ends a run that no worker can answer for, without its clean-up: it is interrupted then. Left out: the engine has no
   * server that could.
   */
  endAtServer?(runId: string, end: ServerEnd): Promise<EndedAtServer>
  close(): Promise<void>
}

/** Which runs a list holds. What is left out does not matter. */
export interface RunFilter {
  readonly status?: readonly RecordedStatus[]
  /** Name of the runbook. */
  readonly runbook?: string
  /** Every one of these labels has this value. */
  readonly labels?: Readonly<Record<string, string>>
  /** Started at this Unix time in milliseconds, or later. */
  readonly startedFromMs?: number
  /** Started before this Unix time in milliseconds. */
  readonly startedBeforeMs?: number
  /**
   * No more than so many.
   * @default 100
   */
  readonly limit?: number
}

/** How the log of a run is followed. */
export interface FollowOptions {
  /** Only events after this one. */
  readonly afterSeq?: number
  /** Ends the iteration. */
  readonly signal?: AbortSignal
  /** Told what keeps the log from going on, such as a server that does not answer. */
  readonly say?: (text: string) => void
}

/** What a person found out about a write. */
export interface Verdict {
  /** `retry`: it is made again, whatever became of it. */
  readonly decision: 'succeeded' | 'failed' | 'retry'
  /**
   * With `succeeded`: what the call would have answered, for the steps that read it.
   * @default an empty object
   */
  readonly outputs?: JsonValue
  /** Who decides. */
  readonly by: Identity
  readonly comment?: string
}

/** Who ends a run past its workflow, and why that cannot answer. */
export interface ServerEnd {
  readonly by: Identity
  readonly comment?: string
  readonly because: ErrorCode
}

/** What is left of a run that was ended past its workflow. */
export interface EndedAtServer {
  /** Those that were begun, and whose end is not known. */
  readonly calls: readonly OpenCall[]
  readonly isResumable: boolean
}

/** A call that was begun, and whose end is not known. */
export interface OpenCall {
  readonly path: string
  readonly action: string
  readonly safety: Safety
}

/** What a person says. */
export type GivenAnswer = Pick<Answer, 'approved' | 'by' | 'comment'>

/**
 * Asks a person who is at hand. Resolves with undefined where nobody wants to answer here: the question stays open for
 * others. `signal` is aborted once another user has answered, with that answer as its reason, or once
 * no answer is needed.
 */
export type AskHere = (question: Question, signal: AbortSignal) => Promise<GivenAnswer | undefined>

/** A write of which nobody knows whether it was carried out. */
export interface UndecidedCall {
  /** Of the call, such as `create`, `hosts[3]/create` or `create/group-2`. */
  readonly path: string
  /** The id of the step. */
  readonly step: string
  readonly action: string
  /** The last one. */
  readonly attempt: number
  /** What it came to; left out: its process ended before that was known. */
  readonly error?: ErrorData
}
