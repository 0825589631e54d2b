import type { Safety } from '../action.ts'
import type { AttemptResult } from '../calls/attempts.ts'
import type { RunEvent } from '../events.ts'
import type { JsonValue } from '../json.ts'
import type { Answer, AskedQuestion, People } from '../people/question.ts'
import type { SensitiveFields } from '../record/sensitive-values.ts'
import type { Cancellation } from './cancellation.ts'
import type { Attempted, CallContext, CallRequest, Host, Listening } from './host.ts'

/** A call as an engine is about to make it. */
export interface PreparedCall {
  readonly request: CallRequest
  readonly safety: Safety
  /** Undefined where the plan names another action. */
  readonly action: SensitiveFields | undefined
}

/** What the record of a run holds of an attempt. `begun`: its process ended before its outcome was known. */
export type KnownAttempt =
  | { readonly status: 'begun'; readonly startedAtMs: number }
  | {
      readonly status: 'ended'
      readonly attempted: Attempted
      /** Position in the order in which the attempts of the run ended. */
      readonly position: number
      readonly requestId?: string | undefined
    }

/** The result of one attempt, and what is known besides. */
export interface MadeAttempt {
  readonly result: AttemptResult
  /** The output as JSON, where the maker has it. */
  readonly outputText?: string | undefined
  readonly requestId?: string | undefined
  readonly warnings?: readonly string[] | undefined
  /** How long of it was waiting: for the rate limit, for the target, or for another process. */
  readonly waitedMs?: number | undefined
  /** Another worker had the attempt before, and may have done it. */
  readonly mayHaveExecuted?: boolean
  /** The run must stop here, so this process gave the attempt up. The run makes it again when it resumes. */
  readonly isInterrupted?: boolean
}

/** The record of the attempts of a run. What resolves, or is undefined, is recorded. */
export interface AttemptLog<Call extends PreparedCall> {
  /** What is known of this attempt. A different call under its name is `PlanDrift`. */
  find(call: Call): KnownAttempt | undefined
  /** Records that the attempt is about to be made. */
  begin(call: Call, nowMs: number): Promise<void> | undefined
  /** Records the result. */
  finish(call: Call, made: MadeAttempt, attempted: Attempted): Promise<void> | undefined
  /** Records that a reusable result is the result of this attempt. */
  takeOver(call: Call, reused: ReusedResult): Promise<void> | undefined
  /** Records that the attempt was not made after all. */
  withdraw(call: Call): Promise<void> | undefined
}

/** A result from before a resume with changes. */
export interface ReusedResult {
  readonly kind: 'reused'
  readonly id: number
  readonly attempted: Attempted
  readonly requestId?: string | undefined
}

/** What the run did before a resume with changes. */
export interface ReusableResultStore<Call extends PreparedCall> {
  /**
   * Looks for the result of an equal call. `hasUnknownOutcome`: there is one, and its outcome is unknown. Rejects with
   * `PlanDrift`, which ends the run, where a user must decide first.
   */
  take(call: Call): Promise<ReusedResult | { readonly kind: 'to-make'; readonly hasUnknownOutcome: boolean }>
}

/** Makes attempts. */
export interface AttemptMaker<Call extends PreparedCall> {
  /** Throws `PlanDrift` where there is no such action. */
  prepare(request: CallRequest): Call
  /** Makes exactly one attempt. Its failure is data. */
  make(call: Call, context: CallContext): Promise<MadeAttempt>
}

/** The order in which a resumed run replays its record. */
export interface Replay {
  /** Resolves when what ended at that time is next by the record, among equal times by its position. */
  waitForReplay(timeMs: number, position?: number): Promise<void>
  /** One more attempt of the record was replayed, or is made again. */
  consumed(): void
  /** Resolves when everything is replayed: what is new may begin. Undefined: it may begin now. */
  caughtUp(): Promise<void> | undefined
}

/** What the host must obey. */
export interface HostControls extends Pick<Host, 'cancellation' | 'abandonment'> {
  isPaused(): boolean
  /** Resolves when a new call may be made, or is no longer wanted. Undefined: it may be made now. */
  ready(path: string, context: CallContext): Promise<void> | undefined
  /**
   * Resolves, for a replayed attempt that ended at that time, once an earlier cancellation has taken effect.
   * @default cancellations take effect in the order of the record
   */
  afterCancellation?(endedAtMs: number): Promise<void> | undefined
}

/** Stops a run in this process or execution. It resumes in another one. */
export interface Brake {
  /** Nothing new may begin. */
  isStopping(): boolean
  /** Throws `Interrupted` where nothing new may begin. */
  stopHere(): void
  /** Decides whether it is time to stop, before a new call. Throws as {@link stopHere} does. */
  check(): void
}

/** Limits how many calls run at a time. */
export interface ParallelLimit {
  /** Enters if the limit permits it now. */
  tryEnter(): boolean
  /** Resolves with true when it has entered, and with false once `isOver` holds. */
  enter(isOver: () => boolean): Promise<boolean>
  leave(): void
}

/** The time of a run. */
export interface Timer {
  /** Unix time in milliseconds. */
  now(): number
  /** Resolves at that time, when it is cancelled, or when the run must stop here. */
  until(timeMs: number, cancellation: Cancellation): Promise<void>
  /**
   * Watches the end of a time limit, as {@link until} does. It also rings for what is under way while the run stops.
   * @default the same as any wait
   */
  atLimit?(timeMs: number, cancellation: Cancellation): Promise<void>
}

/** When a run first reached the steps of its plan, in Unix milliseconds. */
export interface FirstReached {
  /** The recorded time, or now, which is recorded. */
  reached(path: string): number
  /** Now, which replaces the recorded time. */
  reachedAnew(path: string): number
}

/** A question as its record has it. */
export interface RecordedQuestion extends Omit<AskedQuestion, 'path' | 'timeoutMs'> {
  readonly status: 'open' | 'answered' | 'expired' | 'withdrawn'
  /** Those that count: one for each name, the one that settled the question last. */
  readonly answers: readonly Answer[]
  /** Unix time in milliseconds. */
  readonly answeredAtMs?: number
  /** Names what was asked, where the record keeps less of it. */
  readonly question_hash?: string
}

/** The record of the questions of a run. */
export interface QuestionLog {
  read(path: string): RecordedQuestion | undefined
  /** The `people` of `opsbook.yaml` where the question is asked. */
  people(): People | Promise<People>
  /** Asks. The approver is notified unless the question is open already; answers so far are kept then. */
  open(question: AskedQuestion, askedAtMs: number): Promise<void> | undefined
  /** Keeps a question for the record only: the run now asks something else at this step. */
  setAside(path: string): Promise<void> | undefined
  /** Resolves when it is no longer open, at that time, when it is cancelled, or when the run must stop here. */
  settled(question: AskedQuestion, endMs: number, cancellation: Cancellation): Promise<void>
  /** Closes a question that is still open. */
  close(path: string, status: 'expired' | 'withdrawn'): Promise<void> | undefined
}

/** An event that came to a hook of the run since its start. */
export interface KeptEvent {
  readonly id: string
  /** Unix time in milliseconds. */
  readonly receivedAtMs: number
  /** Left out: it was too large to be kept. */
  readonly body?: JsonValue
}

/** The events of the hooks of a run, the oldest first. A step takes events that came before it, too. */
export interface EventInbox {
  /** The next event of the hook that no step of the run has taken. Each one is returned once for a listening. */
  next(listening: Listening): KeptEvent | undefined
  /**
   * The step takes the event, and from now on no other step of the run does. What resolves, or is undefined, is recorded
   * together with the result of the call.
   */
  claim(event: KeptEvent, request: CallRequest): Promise<void> | undefined
  /** How many events were not kept, since too many came that no step has taken. @default all were kept */
  dropped?(): number
  /**
   * Resolves when all events are here that were accepted so far, or when it is cancelled or the run must stop here.
   * Undefined, or left out: they are. Asked once for a listening.
   */
  arriving?(listening: Listening, cancellation: Cancellation): Promise<void> | undefined
  /** Resolves when there may be more events, at that time, when it is cancelled, or when the run must stop here. */
  more(listening: Listening, cancellation: Cancellation): Promise<void>
}

/** What an engine gives to the run host. */
export interface EnginePorts<Call extends PreparedCall>
  extends Pick<Host, 'workingTimes' | 'results' | 'checkInputs' | 'sensitive'> {
  readonly attempts: AttemptLog<Call>
  readonly maker: AttemptMaker<Call>
  /** Undefined where the run was never changed. */
  readonly reusable: ReusableResultStore<Call> | undefined
  readonly questions: QuestionLog
  readonly inbox: EventInbox
  readonly firstReached: FirstReached
  readonly replay: Replay
  readonly control: HostControls
  readonly brake: Brake
  readonly parallelLimit: ParallelLimit
  readonly timer: Timer
  /** A user resumed the run, so its events report again what is replayed. */
  readonly isResumed: boolean
  report(event: RunEvent): void
}
