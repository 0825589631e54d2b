/**
 * What passes between clients, workflows and activities, by name. Plain data: all of it stands in the history of the
 * run, so no secret is ever a part of it.
 */

import type { Safety } from '../../core/action.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { LogLevel } from '../../core/events.ts'
import type { CallRequest } from '../../core/host.ts'
import type { RunOutcome } from '../../core/interpret.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Plan } from '../../core/plan.ts'
import type { Identity } from '../../core/record/identity.ts'
import type { RunHistory } from '../../core/record/run-history.ts'
import type { QuestionRecord, RecordedEvent, StepRecord } from '../../core/record/run-record.ts'
import type { StartedFrom } from '../../core/record/started-from.ts'
import type { ErrorData } from '../../core/run-error.ts'
import type { Notice, NoticeDraft } from '../record/notice.ts'
import type { Carried } from './carried.ts'

/** Name of the local activity that checks what a step gives to the runbook that it runs. */
export const checkInputsActivity = 'opsbook/check-inputs'

/** What a run is started with. */
export interface RunStart extends RunAbilities {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly runId: string
  readonly startedAtMs: number
  readonly startedBy: Identity
  /** What started it by itself; left out: a person did. */
  readonly startedFrom?: StartedFrom
  /** Task queue of the workers that make the calls. */
  readonly actionQueue: string
  readonly key?: string
  /** Name of the default connection. */
  readonly connection?: string
  /** Whoever has approved everything in advance. */
  readonly approvedBy?: Identity
  /** This execution does nothing, and ends so: it only keeps what somebody has said. */
  readonly keeps?: RunOutcome
  /** What was done before this execution of the workflow. */
  readonly carried?: Carried
  /**
   * The run goes on in another execution once the history has so many events.
   * @default 4096, or as soon as the server suggests it
   */
  readonly mostEvents?: number
  /**
   * How long the run waits for the answer of a worker that it has lost in the middle of a create, in milliseconds. After
   * that the outcome is unknown. At least half a minute more than the attempt may take.
   * @default 120000
   */
  readonly lostCreateWaitMs?: number
}

/** What a run can do. Those that started before it was known leave it out: their histories have no place for it. */
export interface RunAbilities {
  /** What failures say is to be seen by nobody without the key: how the run ended stands in its details alone. */
  readonly hidesMessages?: true
  /** Where it is cancelled, the server calls it so, however that came about. */
  readonly endsAsCancelled?: true
  /** Its workers are asked whom to tell that it needs people. */
  readonly tellsPeople?: true
}

/** What the server starts a run with at the times of a schedule: what differs from time to time the run finds out itself. */
export interface ScheduledStart extends Omit<RunStart, 'runId' | 'startedAtMs' | 'startedFrom' | 'carried'> {
  readonly scheduled: Omit<Extract<StartedFrom, { kind: 'schedule' }>, 'kind' | 'at'>
}

/** Search attribute, written by the server: the time of a schedule that a workflow was started for, without jitter. */
export const scheduledTimeAttribute = 'TemporalScheduledStartTime'

/** One attempt, as a worker is asked to make it. */
export interface AttemptOrder {
  readonly runId: string
  /** The execution of the workflow that wants it: after a reset it is another one. */
  readonly executionId: string
  readonly request: CallRequest
  readonly safety: Safety

  /** How many workers this attempt was given to before, and lost with. */
  readonly handover: number
  /** The attempt was scheduled anew after a long wait: when it began to wait. Unix time in milliseconds. */
  readonly waitsSinceMs?: number
  /** Every secret that the run can read: none of them may be in an answer. Left out: none. */
  readonly secretNames?: readonly string[]
  /** What the inputs of the run hold that must not be in an answer either. Left out: nothing. */
  readonly sensitiveInputs?: readonly string[]
  /** Waits of at least so many milliseconds are told to the workflow while they go on: {@link waitSignal}. */
  readonly tellsWaitsFromMs: number
  /** Name of the default connection of the run. */
  readonly connection?: string
  /** The number of the resume that has changed the run last: files of before belong to whoever takes over their calls. */
  readonly amendment?: number
}

/** A line that an action has logged. */
export interface LoggedLine {
  readonly level: LogLevel
  readonly message: string
  readonly data?: JsonValue
}

/** What is known of an attempt besides how it ended. */
export interface AttemptFacts {
  readonly requestId?: string
  readonly warnings?: readonly string[]
  /** How long of it was waiting for the rate limit or for the target, in milliseconds. */
  readonly waitedMs?: number
  readonly logged?: readonly LoggedLine[]
}

/** What an attempt that went well answers. */
export interface AttemptAnswer extends AttemptFacts {
  readonly output: JsonValue
}

/** The details of the failure that a failed attempt ends its activity with. */
export interface AttemptRefusal extends AttemptFacts {
  readonly error: ErrorData
}

/** Type of the failure of an attempt that its worker gave up, since it stops: another one makes it. */
export const givenUp = 'OpsbookGivenUp'

/** Type of the failure of an attempt that has waited for its permits or its target for long: it is scheduled anew. */
export const waitedTooLong = 'OpsbookWaitedTooLong'

/** Name of the activity that gives a file to a call which takes over what its writer did. */
export const takeFileActivity = 'opsbook/take-file'

/** What {@link takeFileActivity} is asked. It answers with `false` where another call has taken the file since. */
export interface FileOrder {
  readonly runId: string
  /** The number of the resume that has changed the run last. */
  readonly amendment: number
  readonly file: string
  /** The place of the call that has written it, and of the one that takes over. */
  readonly from: string
  readonly to: string
}

/** What {@link checkInputsActivity} is asked. */
export interface InputsOrder {
  readonly plan: Pick<Plan, 'name' | 'inputs'>
  readonly given: JsonObject
}

/** Name of the workflow type that tells people of something: a workflow of its own, so that no run waits for it. */
export const noticeType = 'opsbookNotice'

/** Name of the workflow type that has the server cancel a run which was cancelled otherwise. */
export const cancellerType = 'opsbookCanceller'

/** What {@link noticeType} is started with. */
export interface NoticeOrder {
  readonly notice: Notice
  /** Values that must not be seen in a message. */
  readonly sensitive: readonly string[]
  /** Task queue of the workers that know whom to tell. */
  readonly actionQueue: string
}

/** Name of the activity that makes a notice into the messages that go out. */
export const composeNoticeActivity = 'opsbook/compose-notice'

/** What {@link composeNoticeActivity} answers. */
export type NoticeDrafts = readonly NoticeDraft[]

/** Name of the activity that delivers one message. Its failures say what {@link NoticeFailure} holds. */
export const deliverNoticeActivity = 'opsbook/deliver-notice'

/** The details of the failure of a message that has not arrived. */
export interface NoticeFailure {
  readonly target: string
  readonly reason: string
}

/** Signal of an attempt of a create to its workflow: its request is about to leave. */
export const sendingSignal = 'opsbookSending'

/** What {@link sendingSignal} names: the attempt, as one worker was given it. */
export interface SendingNotice {
  readonly path: string
  readonly attempt: number
  readonly handover: number
}

/** Signal of an attempt to its workflow: how it ended, where its activity has timed out meanwhile. */
export const lateSignal = 'opsbookLate'

/** What {@link lateSignal} says: one of the two. */
export interface LateAnswer extends SendingNotice {
  readonly answer?: AttemptAnswer
  readonly refusal?: AttemptRefusal
}

/** The details of a heartbeat of an attempt. */
export interface AttemptHeartbeat {
  /** Left out: it waits for nothing. */
  readonly waitsFor?: {
    readonly reason: 'budget' | 'throttle' | 'target'
    /** Unix time in milliseconds, by the clock of the worker. */
    readonly sinceMs: number
    /** The same, where it is known. */
    readonly untilMs?: number
  }
}

/** Signal of an attempt to its workflow: it waits for its turn, or waits no more. */
export const waitSignal = 'opsbookWaits'

/** What {@link waitSignal} says. */
export interface WaitNotice {
  readonly path: string
  readonly attempt: number
  /** Left out: it waits no more. */
  readonly wait?: {
    readonly reason: 'budget' | 'target'
    /** Unix time in milliseconds, where it is known. */
    readonly until?: number
  }
}

/** Query: the events of one execution of a run after a number, in pages. */
export const eventsQuery = 'opsbookEvents'

/** A page of events. */
export interface EventsPage {
  readonly events: readonly RecordedEvent[]
  /** There are more already. */
  readonly isMore: boolean
}

/** Name of the local activity that returns what it is given, so that a workflow leaves it in its history. */
export const keepLogActivity = 'opsbook/keep-log'

/** A page of the log of one execution of a run, as its history keeps it: clients read it without a worker. */
export interface KeptPage {
  readonly events: readonly RecordedEvent[]
  /** How many pages of this execution come before it. */
  readonly before: number
  /** In the last page of a run that has ended. */
  readonly state?: RunStateAnswer
}

/** Query: what the run takes along when it is resumed. */
export const carriedQuery = 'opsbookCarried'

/** What a run was started with, and what it would take along now. */
export interface CarriedAnswer {
  readonly start: Omit<RunStart, 'carried'>
  readonly carried: Carried
}

/** Query: where a run stands. */
export const stateQuery = 'opsbookState'

/** Where a run stands, as its workflow knows it. */
export interface RunStateAnswer extends RunHistory {
  readonly status: 'running' | 'waiting' | 'paused' | 'ended'
  readonly steps: readonly StepRecord[]
  readonly questions: readonly QuestionRecord[]
}

/** Update: somebody wants something of the run. Answers with nothing. */
export const controlUpdate = 'opsbookControl'

/** Update: somebody answers what a step asks. Answers with the path of the step. */
export const answerUpdate = 'opsbookAnswer'

/** The details of the failure of an update that makes no sense to the run; its message says why. */
export interface UpdateRefusal {
  readonly code: ErrorCode
  /** What the reader does next. */
  readonly next?: string
}

/** What somebody says to a step that asks. */
export interface AnswerOrder {
  /** The path of the step, or its id. */
  readonly step: string
  readonly approved: boolean
  readonly by: Identity
  readonly comment?: string
}

/** Name in the memo of a workflow that was cancelled: what the run came to. */
export const outcomeMemo = 'outcome'

/** Search attributes of runs, and their types. Whoever operates the server registers them once. */
export const searchAttributes = {
  OpsbookRunbook: 'Keyword',
  OpsbookStatus: 'Keyword',
  OpsbookLabels: 'KeywordList',
} as const
