/**
 * The messages between clients, workflows and activities, by name. Plain data: the history of the run keeps all of it,
 * so no message holds a secret.
 */

import type { Safety } from '../../core/action.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Identity, RunEvent } from '../../core/events.ts'
import type { CallRequest } from '../../core/host/index.ts'
import type { RunOutcome } from '../../core/interpret.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { GivenAnswer, NamedQuestions, QuestionRecord } from '../../core/people/index.ts'
import type { Plan } from '../../core/plan/index.ts'
import type {
  RecordedEvent,
  RunHistory,
  StepRecord,
  TriggerSource,
  WaitingAttempt,
} from '../../core/record/index.ts'
import type { ErrorData } from '../../core/run-error.ts'
import { whyUnreadable } from './codec/unreadable.ts'
import type { AwaitedLine } from './concurrency/line.ts'
import type { ContinuedReset, ContinuedState } from './continued-state.ts'

/** Name of the local activity that checks the inputs of a child runbook. */
export const checkInputsActivity = 'opsbook/check-inputs'

/** Name of the local activity that returns the `people` of the configuration of the worker. */
export const peopleActivity = 'opsbook/people'

/** Name of the local activity that makes the key of a run for the hashes of approved calls: 64 random hex digits. */
export const sealKeyActivity = 'opsbook/seal-key'

/** Name of the local activity that knows the page of a run in the console. */
export const pageActivity = 'opsbook/page'

/** What a run is started with. */
export interface RunStart {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly runId: string
  readonly startedAtMs: number
  readonly startedBy: Identity
  /** The trigger that started it; left out: a person did. */
  readonly startedFrom?: TriggerSource
  /** The person who triggered the schedule by hand. */
  readonly triggeredBy?: Identity
  /** Task queue of the workers that make the calls. */
  readonly actionQueue: string
  readonly key?: string
  /** Name of the default connection. */
  readonly connection?: string
  /** The person who has approved all questions in advance. */
  readonly approvedBy?: Identity
  /** Only holders of the key may read failure messages: the outcome of the run is in the details of its failure alone. */
  readonly hidesMessages?: true
  /** The run needs a place of this line first; left out: it does not. */
  readonly line?: AwaitedLine
  /** This execution runs nothing and ends with this outcome: it only keeps a decision. */
  readonly keeps?: RunOutcome
  /** The state of the run after its earlier executions. */
  readonly continued?: ContinuedState
  /**
   * The run continues as a new execution when its history has this many events.
   * @default 4096, or when the server suggests it
   */
  readonly mostEvents?: number
  /**
   * How long the run waits for the answer of a worker that it lost during a create, in milliseconds. After that the
   * outcome is unknown. At least 30 seconds more than the attempt may take.
   * @default 120000
   */
  readonly lostCreateWaitMs?: number
}

/** What one execution of a run begins with. */
export interface RunExecution {
  readonly start: RunStart
  readonly continued: ContinuedState
}

/** What the server starts a run of a schedule with. The run reads its id and its times from the server. */
export interface ScheduledStart
  extends Omit<RunStart, 'runId' | 'startedAtMs' | 'startedFrom' | 'continued'> {
  readonly scheduled: Omit<Extract<TriggerSource, { kind: 'schedule' }>, 'kind' | 'at'>
}

/** Search attribute that the server writes: the time of the schedule that a workflow was started for. */
export const scheduledTimeAttribute = 'TemporalScheduledStartTime'

/** One attempt, as a worker is asked to make it. */
export interface AttemptOrder {
  readonly runId: string
  /** The execution of the workflow that wants it: after a reset it is another one. */
  readonly executionId: string
  /** The run was reset, and nobody has decided about this call since. `executions`: those before that count. */
  readonly reset?: Pick<ContinuedReset, 'of'> & { readonly executions: readonly string[] }
  readonly request: CallRequest
  readonly safety: Safety

  /** The number of workers that were lost with this attempt before. */
  readonly handover: number
  /** When an attempt that was scheduled again began to wait. Unix time in milliseconds. */
  readonly waitsSinceMs?: number
  /** Every secret that the run can read; the worker masks them in answers. Left out: none. */
  readonly secretNames?: readonly string[]
  /** The sensitive inputs of the run, which the worker masks as well. Left out: none. */
  readonly sensitiveInputs?: readonly string[]
  /** The worker reports waits of at least this many milliseconds while they last: {@link attemptSignal}. */
  readonly reportsWaitsFromMs: number
  /** Name of the default connection of the run. */
  readonly connection?: string
  /** The number of the last resume with changes. Earlier files belong to the calls that reuse their results. */
  readonly changes?: number
}

/** A line that an action has logged. */
export type LoggedLine = Pick<Extract<RunEvent, { type: 'logged' }>, 'level' | 'message' | 'data'>

/** What a worker reports of an attempt besides its result. */
export interface AttemptFacts {
  readonly requestId?: string
  readonly warnings?: readonly string[]
  /** How long of it was waiting for the rate limit or for the target, in milliseconds. */
  readonly waitedMs?: number
  /** Those that no {@link attemptSignal} has brought. */
  readonly logged?: readonly LoggedLine[]
}

/** The result of an attempt that succeeded. */
export interface AttemptAnswer extends AttemptFacts {
  readonly output: JsonValue
}

/** The details of the failure that a failed attempt ends its activity with. */
export interface AttemptRefusal extends AttemptFacts {
  readonly error: ErrorData
}

/** Type of the failure of an attempt that its worker gave up because it stops: another worker makes the attempt. */
export const givenUp = 'OpsbookGivenUp'

/** Type of the failure of an attempt that waited too long for a permit or its target: the run schedules it again. */
export const waitedTooLong = 'OpsbookWaitedTooLong'

/** Name of the activity that gives a file to the call that reuses the result of its writer. */
export const takeFileActivity = 'opsbook/take-file'

/** The input of {@link takeFileActivity}. It returns `false` when another call has taken the file since. */
export interface FileOrder {
  readonly runId: string
  /** The number of the last resume with changes. */
  readonly changes: number
  readonly file: string
  /** The step addresses of the call that wrote the file, and of the one that takes it over. */
  readonly from: string
  readonly to: string
}

/** The input of {@link checkInputsActivity}. */
export interface InputsOrder {
  readonly plan: Pick<Plan, 'name' | 'inputs'>
  readonly given: JsonObject
}

/** Name of the local activity that asks the server to cancel a run which a control request has cancelled. */
export const cancelRunActivity = 'opsbook/cancel-run'

/** Signal of an attempt to its workflow: its result, when its activity has timed out before. */
export const lateSignal = 'opsbookLate'

/** The result in a {@link lateSignal}: an answer or a refusal. */
export interface LateAnswer extends HandedAttempt {
  readonly answer?: AttemptAnswer
  readonly refusal?: AttemptRefusal
}

/** An attempt, as one worker received it. */
export interface HandedAttempt extends Pick<AttemptOrder, 'handover'> {
  readonly path: string
  readonly attempt: number
}

/** Names an attempt of a run: as the id of its activity, and to find it. */
export function attemptKey({ path, attempt }: Pick<HandedAttempt, 'path' | 'attempt'>): string {
  return `${path}#${attempt}`
}

/** Whether its worker gave up an attempt before it sent anything: the call is for another worker. */
export function isGivenUp({ error }: AttemptRefusal): boolean {
  return error.code === 'Cancelled' && error.notSent === true
}

/** The details of a heartbeat of an attempt. */
export interface AttemptHeartbeat {
  /** Left out: the attempt does not wait. */
  readonly waitsFor?: {
    readonly reason: 'budget' | 'throttle' | 'target'
    /** Unix time in milliseconds, by the clock of the worker. */
    readonly sinceMs: number
    /** The expected end of the wait, as far as it is known. */
    readonly untilMs?: number
  }
  /** Of a create: its request is about to be sent, or was sent. Without it, nothing was. */
  readonly isAnnounced?: boolean
}

/** Whether the details of a heartbeat, the last one of a create, announce its request. Unreadable ones may. */
export function isAnnouncement(details: unknown): boolean {
  if (whyUnreadable(details) !== undefined) return true
  return (details as AttemptHeartbeat | null | undefined)?.isAnnounced === true
}

/** Signal of an attempt to its run before its end, with an {@link AttemptNotice}. */
export const attemptSignal = 'opsbookAttempt'

/** What an attempt reports before its end: a wait, or lines that its action has logged. */
export interface AttemptNotice extends Omit<HandedAttempt, 'handover'> {
  /** The wait that begins; `null`: it has ended. */
  readonly wait?: {
    readonly reason: 'budget' | 'target'
    /** Unix time in milliseconds, where it is known. */
    readonly until?: number
  } | null
  readonly lines?: readonly LoggedLine[]
}

/** Query: the events of one execution of a run after a number, in pages. */
export const eventsQuery = 'opsbookEvents'

/** A page of events. */
export interface EventsAnswer {
  readonly events: readonly RecordedEvent[]
  /** There are more events. */
  readonly isMore: boolean
}

/** Name of the local activity that returns its input: the history of the workflow then holds it. */
export const keepLogActivity = 'opsbook/keep-log'

/** A page of the log of one execution, in its history: clients read it without a worker. */
export interface KeptPage {
  readonly events: readonly RecordedEvent[]
  /** The number of pages of this execution before it. */
  readonly before: number
  /** In the last page of a run that has ended. */
  readonly state?: RunStateAnswer
}

/** Query: the continued state that a resume would start from. */
export const continuedStateQuery = 'opsbookContinuedState'

/** What a run was started with, and its continued state now. */
export interface ContinuedAnswer {
  readonly start: Omit<RunStart, 'continued'>
  readonly continued: ContinuedState
}

/** Query: the state of a run. */
export const stateQuery = 'opsbookState'

/** The state of a run, as its workflow knows it. */
export interface RunStateAnswer extends RunHistory {
  readonly status: 'queued' | 'running' | 'waiting' | 'paused' | 'ended'
  /** What a queued run waits for. */
  readonly line?: AwaitedLine
  readonly steps: readonly StepRecord[]
  readonly questions: readonly QuestionRecord[]
  /** The steps that wait for an event; left out: none does. */
  readonly waiting_attempts?: readonly WaitingAttempt[]
}

/** Update: a control request. Returns nothing. */
export const controlUpdate = 'opsbookControl'

/** Update: the answer to the question of a step, or to all that were shown together. Returns a `RecordedAnswer` for each. */
export const answerUpdate = 'opsbookAnswer'

/** The details of the failure of an update that the run refuses; its message gives the reason. */
export interface UpdateRefusal {
  readonly code: ErrorCode
  /** What the user can do next. */
  readonly next?: string
}

/** An answer, and what it is for. */
export interface AnswerOrder extends GivenAnswer, NamedQuestions {}

/** Name in the memo of a cancelled workflow: the outcome of the run. */
export const outcomeMemo = 'outcome'

/** Search attributes of runs, and their types. The operator of the server registers them once. */
export const searchAttributes = {
  OpsbookRunbook: 'Keyword',
  OpsbookStatus: 'Keyword',
  OpsbookLabels: 'KeywordList',
} as const
