import type { InputProblem } from '../action.ts'
import type { CallPermit } from '../approval/covers.ts'
import type { AttemptResult } from '../calls/attempts.ts'
import type { AskedCall } from '../calls/call-fingerprint.ts'
import type { RunEvent, StepStatus, WaitReason } from '../events.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { Answer, Question } from '../people/question.ts'
import type { Plan } from '../plan/plan.ts'
import type { Warnings } from '../record/run-memory.ts'
import type { ErrorData } from '../run-error.ts'
import type { Cancellation } from './cancellation.ts'

/** The answers to a question. */
export interface Asked {
  /** False: it expired or was withdrawn before enough people had answered. */
  readonly isSettled: boolean
  /** Those that count, one for each name; the last one settled the question. */
  readonly answers: readonly Answer[]
}

/** One attempt to make, as the interpreter asks for it. */
export interface CallRequest extends AskedCall {
  /** Stable name of the call within its run, such as `checks/group-2` or `hosts[3]/export`. */
  readonly path: string
  /** From 1. */
  readonly attempt: number
  readonly action: string
  readonly attemptTimeoutMs?: number
  /** With `core/listen`: the answer, which an event has given. No part of what the call asks. */
  readonly taken?: JsonValue
}

/** What a host needs to know while it makes an attempt. */
export interface CallContext {
  /** The host sends nothing new, abandons reads, and awaits a write in flight. */
  readonly cancellation: Cancellation
  /** Told when the attempt begins and ends to wait for the budget or for its target: such time is not working time. */
  onWaiting(isWaiting: boolean): void
  /** Told of time that the record says was worked, where the attempt is to be made again. */
  past(fromMs: number, toMs: number): void
  /** The call waits for an event: `core/listen`. */
  readonly listening?: Listening
  /** How the error of the attempt is recorded, and what the run goes by: without what is not to be shown. */
  maskError?(error: ErrorData): ErrorData
}

/** What a step that waits for an event waits for. */
export interface Listening {
  /** Of the step. */
  readonly path: string
  /** The hook that the event comes to. */
  readonly hook: string
  /** The same for people: `the hook ci`. */
  readonly source: string
  /** Unix time in milliseconds, or infinity. */
  readonly endMs: number
  /** The message of the failure at that time. */
  readonly timeoutMessage: string
  /** Whether the step wants this event. Throws where its condition fails. */
  isWanted(body: JsonValue): boolean
}

/** What one attempt came to, and when. The times are those of the record: the same when the run is resumed. */
export type Attempted = AttemptResult & {
  /** Unix time in milliseconds. */
  readonly startedAtMs: number
  /** Unix time in milliseconds. */
  readonly endedAtMs: number
  /** How long of that it waited for the budget or for its target. */
  readonly waitedMs?: number | undefined
}

/** The inputs a runbook would start with, its defaults filled in, and what is wrong with them. */
export interface CheckedChildInputs {
  readonly inputs: JsonObject
  readonly problems: readonly InputProblem[]
}

/**
 * What an engine does for the interpreter. The host answers recorded attempts from the journal, in the order in which
 * they ended, before it begins anything new. Any method may reject with `Interrupted`: the process stops here, and the
 * run resumes later.
 */
export interface Host {
  /**
   * Makes exactly one attempt. A cancelled read, or a write that was not sent yet, fails with `Cancelled`; an answer that
   * is too large for a journal, and goes into no file, is {@link resultTooLarge}.
   */
  call(request: CallRequest, context: CallContext): Promise<Attempted>
  /** Resolves at that time of {@link now}, or as soon as it is cancelled. */
  sleepUntil(
    timeMs: number,
    pause: { readonly path: string; readonly reason: WaitReason },
    cancellation: Cancellation,
  ): Promise<void>
  /** Asks people. Resolves once the question is settled, has expired, or the caller has cancelled it. */
  ask(question: Question, cancellation: Cancellation): Promise<Asked>
  /** When the run first reached this step, in Unix milliseconds: the same after a resume. */
  firstReachedAt(path: string): Promise<number>
  readonly workingTimes: WorkingTimes
  /** @default nothing is remembered: the interpreter walks every step, and the journal answers its calls */
  readonly results?: ResultMemory
  /** Sensitive inputs of child runbooks that this execution does not walk again. @default none */
  readonly sensitive?: Iterable<string>
  /**
   * The inputs a child runbook would start with, its defaults filled in, and what is wrong with them. `path` is that of
   * the step which runs it.
   */
  checkInputs(child: Plan, given: JsonObject, path: string): CheckedChildInputs | Promise<CheckedChildInputs>
  /** Unix time in milliseconds. */
  now(): number
  /** Emits an event to the listeners. */
  report(event: RunEvent): void
  /** Of the whole run: asked for by a person. `finally` still runs. */
  readonly cancellation: Cancellation
  /** The second cancellation: `finally` is abandoned too. */
  readonly abandonment: Cancellation
}

/** What is remembered of the result of a step, or of an item of a loop. */
export interface RememberedResult {
  readonly status: StepStatus
  /** Calls made, of everything inside together. */
  readonly attempts: number
  /** Of `choose`: the position of the branch that counted. */
  readonly branch?: number
  /** Left out where nothing reads them any more. */
  readonly outputs?: JsonValue
  readonly error?: ErrorData
  /** It failed, and the steps after it run all the same. */
  readonly isWarning?: true
  /** What the last question in it permits the steps after it. Left out: it asked nothing. */
  readonly permit?: CallPermit | undefined
}

/** Remembers results for the next execution of a run, which does not run or report again what has ended. */
export interface ResultMemory {
  /** The result of a step, or of an item of a loop. `begun`: the item began and has not ended. */
  recall(path: string): RememberedResult | 'begun' | undefined
  /** Remembers that an item of a loop began. */
  begin(path: string): void
  remember(path: string, result: RememberedResult): void
  /** The tolerated failures of all results that can be recalled. */
  readonly warnings: Warnings
}

/** Keeps the working time of places with a time limit, across processes and executions. */
export interface WorkingTimes {
  /**
   * From when on the working time of this place counts for its limit, in Unix milliseconds. Undefined: from its start.
   * A place that failed, and is tried again, has its whole limit again.
   */
  countsFrom(path: string): number | undefined
  /**
   * The working time of this place before this execution, in milliseconds. It includes results that are recalled and
   * attempts that are replayed. Undefined: the record holds all of it.
   */
  workedBefore(path: string): number | undefined
  /** Keeps the working time of this place for the next execution. */
  keep(path: string, workedMs: number): void
}
