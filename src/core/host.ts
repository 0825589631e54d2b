import type { InputProblem } from './action.ts'
import type { AttemptResult } from './attempts.ts'
import type { Cancellation } from './cancellation.ts'
import type { RunEvent, WaitReason } from './events.ts'
import type { ResultMemory, WorkingTimes } from './host/ports.ts'
import type { JsonObject } from './json.ts'
import type { Plan, SecretPosition } from './plan.ts'
import type { Identity } from './record/identity.ts'

/** One attempt to make, as the interpreter asks for it. */
export interface CallRequest {
  /** Stable name of the call within its run, such as `checks/group-2` or `hosts[3]/export`. */
  readonly path: string
  /** From 1. */
  readonly attempt: number
  readonly action: string
  readonly input: JsonObject
  /**
   * Relative path of the artifact the call writes. An action that writes no file itself answers with its whole output,
   * and the host writes that as JSON and answers `path`, `bytes` and `sha256` instead.
   */
  readonly saveAs?: string
  readonly attemptTimeoutMs?: number
  /** Name of the connection; left out: the default one. */
  readonly connection?: string
  /** Secrets to put into the input, outside everything that is recorded. */
  readonly secrets?: readonly SecretPosition[]
}

/** What a host needs to know while it makes an attempt. */
export interface CallContext {
  /** Nothing new is sent, reads are given up, a write in flight is awaited. */
  readonly cancellation: Cancellation
  /** Told when the attempt begins and ends to wait for the budget or for its target: such time is not working time. */
  onWaiting(isWaiting: boolean): void
  /** Told of time that the record says was worked, where the attempt is to be made again. */
  past(fromMs: number, toMs: number): void
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

/** Something a person is asked. */
export interface Question {
  readonly path: string
  readonly message: string
  /** How long to wait, counted from when it was first asked. Left out: for ever. */
  readonly timeoutMs?: number
}

/** What a person said. */
export interface Answer {
  readonly approved: boolean
  readonly by: Identity
  readonly comment?: string
  /** RFC 3339. */
  readonly at: string
}

/** The inputs a runbook would start with, its defaults filled in, and what is wrong with them. */
export interface CheckedInputs {
  readonly inputs: JsonObject
  readonly problems: readonly InputProblem[]
}

/**
 * Everything that differs between the places a plan runs in. The interpreter asks; the host does, and remembers:
 * what the journal holds is answered from the journal, in the order in which it ended, and before anything new is done. Any of these may reject with `Interrupted`: the process must
 * stop here, and the run goes on later.
 */
export interface Host {
  /**
   * Makes exactly one attempt. A cancelled read, or a write that was not sent yet, fails with `Cancelled`; an answer that
   * is too large for a journal, and goes into no file, is {@link answerTooLarge}.
   */
  call(request: CallRequest, context: CallContext): Promise<Attempted>
  /** Resolves at that time of {@link now}, or as soon as it is cancelled. */
  sleepUntil(
    timeMs: number,
    pause: { readonly path: string; readonly reason: WaitReason },
    cancellation: Cancellation,
  ): Promise<void>
  /** Asks a person. Resolves with undefined when nobody answered in time, or as soon as it is cancelled. */
  ask(question: Question, cancellation: Cancellation): Promise<Answer | undefined>
  /** When the run first came to this place, in Unix milliseconds: the same when the run is resumed. */
  firstReachedAt(path: string): Promise<number>
  readonly workingTimes: WorkingTimes
  /** @default nothing is remembered: the interpreter walks every step, and the journal answers its calls */
  readonly results?: ResultMemory
  /**
   * The inputs a child runbook would start with, its defaults filled in, and what is wrong with them. `path` is that of
   * the step which runs it.
   */
  checkInputs(child: Plan, given: JsonObject, path: string): CheckedInputs | Promise<CheckedInputs>
  /** Unix time in milliseconds. */
  now(): number
  /** Tells the listeners. */
  report(event: RunEvent): void
  /** Of the whole run: asked for by a person. `finally` still runs. */
  readonly cancellation: Cancellation
  /** Asked for a second time: `finally` is given up too. */
  readonly abandonment: Cancellation
}
