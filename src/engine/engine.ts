/**
 * What the commands need of any engine. Each engine exports its own functions that start and resume runs, since each
 * takes different options. After the start the runs of all engines look alike.
 */

import type { Readable } from 'node:stream'
import type { ActionDescription, CallWindows, Safety } from '../core/action.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { Identity } from '../core/events.ts'
import type { JsonValue } from '../core/json.ts'
import type { RateReading } from '../core/pacing/index.ts'
import type {
  AnswerDecision,
  AskedQuestion,
  GivenAnswer,
  NamedQuestions,
  QuestionRecord,
  RecordedAnswer,
} from '../core/people/index.ts'
import type {
  AttemptRecord,
  ControlRequest,
  RecordedEvent,
  RecordedStatus,
  RunRecord,
  RunState,
  RunSummary,
} from '../core/record/index.ts'
import type { CheckInputs, ResumeChanges, ResumeComparison } from '../core/resume/index.ts'
import type { ErrorData } from '../core/run-error.ts'

/** Reads and controls the runs of one engine. */
export interface Engine {
  readonly kind: 'embedded' | 'temporal'
  /** Where its runs are stored, for people. */
  readonly location: string
  /** False if no run was ever recorded. */
  hasRuns(): boolean
  /** The newest first. */
  listRuns(filter?: RunFilter): Promise<readonly RunSummary[]>
  /** The state of a run without its steps. Undefined: there is no such run. */
  readRunState(runId: string): Promise<RunState | undefined>
  /**
   * Undefined: there is no such run. `isWithoutSteps`: leaves `steps` empty and `kept_from` out, so that it costs the
   * same however many items a loop has. `isUnasked`: on Temporal, only what the server knows of an open run without a
   * worker, which has no steps and no questions.
   */
  readRun(
    runId: string,
    part?: { readonly isWithoutSteps?: true; readonly isUnasked?: true },
  ): Promise<RunRecord | undefined>
  /** The id of the run that was started with this key. */
  findRunByKey(key: string): Promise<string | undefined>
  /**
   * The attempts of a run in the order in which they began. Can be iterated more than once. `inside`: only those of this
   * step, item or call and of what is inside of it.
   */
  readAttempts(runId: string, part?: { readonly inside?: string }): Promise<Iterable<AttemptRecord>>
  /**
   * The events that are recorded so far. Can be iterated more than once. `inside`: only those of the run itself, of this
   * path and of what is inside it. `afterSeq`: only those with a larger number.
   */
  readEvents(
    runId: string,
    part?: { readonly inside?: string; readonly afterSeq?: number },
  ): Promise<Iterable<RecordedEvent>>
  /**
   * Opens a file of a run by its name in the record. Undefined: the record has no such file, or it is not there. The
   * caller reads `content` to its end, or destroys it.
   */
  readFile(runId: string, name: string): Promise<RunFile | undefined>
  /** The writes of a run whose outcome is unknown. */
  readUnresolvedCalls(run: RunRecord): Promise<readonly UnresolvedCall[]>
  /** What waits for a person, in all runs. Never rejects because of one run: the result names those that it lacks. */
  readInbox(): Promise<Inbox>
  /**
   * Resolves an unknown outcome, named by the path of the call or by the id of its step. Returns the calls of the run
   * that are still unresolved. With none left, the run can be resumed. Rejects with `InvalidInput`, and changes nothing,
   * if no such call is unresolved, or if it is not the one that `verdict.shown` names: the message says who has resolved
   * it and when, or that it has changed.
   */
  decideOutcome(runId: string, step: string, verdict: Verdict): Promise<readonly UnresolvedCall[]>
  /**
   * Previews a resume: which results are reused, which calls are made, and which steps need a decision. Changes nothing.
   * Rejects with what the resume would reject with, but for the steps that need a decision. Without `changes` a call with
   * an unknown outcome is part of the preview too.
   */
  compareResume(
    runId: string,
    changes: ResumeChanges | undefined,
    dependencies: ResumeDependencies,
  ): Promise<ResumeComparison>
  /** The events of a run as they are recorded. Ends when no process or worker executes the run. */
  followEvents(runId: string, options?: FollowOptions): AsyncIterable<RecordedEvent>
  /**
   * Sends a control request to a run. Resolves with `false`, and records nothing, if no process executes the run.
   * Rejects with `InvalidInput` if there is no such run, or if it has ended.
   */
  requestControl(runId: string, controlRequest: ControlRequest): Promise<boolean>
  /**
   * Answers the question of a step, and resolves with what the answer did to each question. `named.shown` is the word
   * of the question, or of all questions that an approver saw together: they are answered as they were shown, or not at
   * all. Left out: what the step asks now. Rejects with `InvalidInput`, and records nothing, if no such step asks, if
   * what was shown has changed or was answered since, or if the answer does not count.
   */
  answerQuestion(
    runId: string,
    named: NamedQuestions,
    answer: GivenAnswer,
  ): Promise<readonly RecordedAnswer[]>
  /**
   * Ends a run that no worker can execute, without its clean-up. The run is interrupted then. Left out: the engine has
   * no server.
   */
  endAtServer?(runId: string, end: ServerEnd): Promise<EndedAtServer>
  /**
   * The calls that count now against the limits of these actions and connections (`connectionSubject`), over all runs and
   * processes. Resolves with undefined if it cannot be read which of them have calls.
   */
  readRateUse(limits: ReadonlyMap<string, CallWindows>): Promise<RateReading | undefined>
  close(): Promise<void>
}

/** A file of a run, open to be read. */
export interface RunFile {
  /** Its name in the record. */
  readonly file: string
  readonly bytes: number
  readonly content: Readable
}

/** What checking a resume with changes takes. */
export interface ResumeDependencies {
  readonly actions: readonly ActionDescription[]
  readonly checkInputs: CheckInputs
}

/** Which runs a list holds. A field that is left out selects all runs. */
export interface RunFilter {
  readonly status?: readonly RecordedStatus[]
  /** Name of the runbook. */
  readonly runbook?: string
  /** Runs with all of these labels. */
  readonly labels?: Readonly<Record<string, string>>
  /** Started at this Unix time in milliseconds, or later. */
  readonly startedFromMs?: number
  /** Started before this Unix time in milliseconds. */
  readonly startedBeforeMs?: number
  /**
   * The maximum number of runs.
   * @default 100
   */
  readonly limit?: number
}

/** The open questions and unresolved outcomes of all runs. */
export interface Inbox {
  /** Those that wait for a person, in no order. */
  readonly runs: readonly WaitingRun[]
  /** Runs that wait, perhaps for a person, and could not be read. */
  readonly unread: readonly UnreadRun[]
  /** There are more runs than are read at a time. */
  readonly hasMore: boolean
}

/** A run that waits for a person. */
export interface WaitingRun extends RunSummary {
  /** The open ones. */
  readonly questions: readonly QuestionRecord[]
  readonly unresolved: readonly UnresolvedCall[]
}

/** A run that could not be read, and why. */
export interface UnreadRun {
  readonly run_id: string
  readonly code: string
  readonly message: string
}

/** How the log of a run is followed. */
export interface FollowOptions {
  /** Only events after this one. */
  readonly afterSeq?: number
  /** Ends the iteration. */
  readonly signal?: AbortSignal
  /** Receives the reason why no events arrive, such as a server that does not answer. */
  readonly say?: (text: string) => void
}

/** How a user resolves an unknown outcome. */
export interface Verdict {
  /** `retry`: the call is made again. */
  readonly decision: 'succeeded' | 'failed' | 'retry'
  /**
   * With `succeeded`: the outputs of the call, for the steps that read them.
   * @default an empty object
   */
  readonly outputs?: JsonValue
  /** Who decides. */
  readonly by: Identity
  readonly comment?: string
  /** Replaces an earlier decision that the run has not used, if there is one. */
  readonly replaces?: boolean
  /**
   * The word of the call that the user saw, such as `1-1f0c9a77b2`: it is decided as it was shown, or not at all. Left
   * out: as it stands now.
   */
  readonly shown?: string
}

/** Who ends a run at the server, and why its workflow cannot answer. */
export interface ServerEnd {
  readonly by: Identity
  readonly comment?: string
  readonly because: ErrorCode
}

/** The state of a run that was ended at the server. */
export interface EndedAtServer {
  /** The calls that were begun and have no recorded end. */
  readonly calls: readonly OpenCall[]
  readonly isResumable: boolean
}

/** A call that was begun and has no recorded end. */
export interface OpenCall {
  readonly path: string
  readonly action: string
  readonly safety: Safety
}

/** A question as the user of this process is asked it. */
export interface AskedHere extends AskedQuestion {
  /** Who started the run, triggered its schedule by hand or resumed it with changes. */
  readonly starters: readonly Identity[]
}

/**
 * Asks the user of this process. Resolves with undefined if the user does not answer here: the question stays open for
 * others. `signal` is aborted when another user has answered, with that answer as its reason; when this process stops,
 * and the question stays open, with the reason `open`; or when no answer is needed any more. `last`: what the last answer from here did, if the question is still open.
 */
export type AskHere = (
  question: AskedHere,
  signal: AbortSignal,
  last?: AnswerDecision,
) => Promise<GivenAnswer | undefined>

/** A write whose outcome is unknown. */
export interface UnresolvedCall {
  /** Path of the call, such as `create`, `hosts[3]/create` or `create/group-2`. */
  readonly path: string
  /** The id of the step. */
  readonly step: string
  readonly action: string
  /** The last attempt. */
  readonly attempt: number
  /** The recorded error. Left out: the process ended before there was a result. */
  readonly error?: ErrorData
}
