import type {
  FailedItems,
  Identity,
  RunStatus,
  StepStatus,
  TimedRunEvent,
  WaitReason,
  Warning,
} from '../events.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { QuestionRecord } from '../people/question.ts'
import type { Plan } from '../plan/plan.ts'
import type { ErrorData } from '../run-error.ts'
import type { RunHistory } from './run-history.ts'

/**
 * Where a run stands: how it ended, or `queued` until `opsbook serve` or its concurrency key comes, or `running`, or `waiting` for the
 * answer of a person, or `paused` by one. A run whose process is gone is `interrupted`, whatever it was doing.
 */
export type RecordedStatus = RunStatus | OpenStatus

/** The states of a run that a process executes or is about to execute. */
export const openStatuses = ['queued', 'running', 'waiting', 'paused'] as const
export type OpenStatus = (typeof openStatuses)[number]

/** Every state of a run: those of open ones first. */
export const recordedStatuses: readonly RecordedStatus[] = [
  ...openStatuses,
  'succeeded',
  'failed',
  'cancelled',
  'unknown',
  'interrupted',
]

/** Whether a process executes the run, or is about to. */
export function isExecuted(status: RecordedStatus): status is OpenStatus {
  return (openStatuses as readonly RecordedStatus[]).includes(status)
}

/** Whether a step has not ended, or nothing is known of its end. */
export function isUnfinished(status: StepRecord['status']): boolean {
  return status === 'pending' || status === 'running' || status === 'interrupted'
}

/** What a step came to, as the record and the report say it. */
export interface StepRecord {
  /** Such as `checks`, `block/inner` or `hosts[3]/export`. */
  readonly path: string
  readonly name?: string
  readonly action: string
  readonly status: StepStatus | 'running' | 'pending' | 'interrupted'
  readonly attempts: number
  /** Of `choose`: the position of the branch that counted, from 0. */
  readonly branch?: number
  readonly error?: ErrorData
  /** It failed, and the run continued. */
  readonly is_warning?: boolean
  /** The failure that its `catch` took the place of. */
  readonly caught?: ErrorData
  /** Of a loop or batch. Left out: none failed. */
  readonly failed_items?: FailedItems
  /** Why it was skipped: the condition, as written. */
  readonly condition?: string
  /** Why it was skipped: the values that the condition read, by their paths. */
  readonly values?: JsonObject
  /** RFC 3339. */
  readonly started_at?: string
  /** RFC 3339. */
  readonly ended_at?: string
}

/** What a queued run waits for: a place among the runs with its concurrency key. */
export interface PlaceInLine {
  readonly key: string
  /** The number of runs that may be active with the key. */
  readonly limit: number
  /** The runs before it: first the active ones, then those that wait, in the order of their starts. */
  readonly before: readonly string[]
}

/** A run as lists show it. */
export interface RunSummary {
  readonly run_id: string
  /** The key it was started with, if there was one: `--id`. */
  readonly key?: string
  readonly runbook: string
  readonly title?: string
  readonly labels: Readonly<Record<string, string>>
  readonly status: RecordedStatus
  /** In lists also `OutcomeUnknown` for a create that was in flight when the process of an interrupted run ended. */
  readonly error?: ErrorData
  /** Left out: the run is not queued, or waits for `opsbook serve` alone. */
  readonly place_in_line?: PlaceInLine
  /** RFC 3339. */
  readonly started_at: string
  /** The system user who started it. Left out where another program started the workflow. */
  readonly started_by?: Identity
  /** What started it by itself; left out: a person did. */
  readonly started_from?: TriggerSource
  /**
   * RFC 3339. Left out while the run is open; that of the last ending where it was resumed, and of the last event where
   * its process died.
   */
  readonly ended_at?: string
  /**
   * Only in lists: what an open run is at. Left out: nothing has begun. Lists of Temporal know only what a run with the
   * status `waiting` waits for.
   */
  readonly current_step?: CurrentStep
}

/** What an open run is at: the question whose time ends first, else the step that began last and has not ended. */
export interface CurrentStep {
  readonly path: string
  /** RFC 3339: when it began, or when it asked. */
  readonly since: string
  /** What it waits for. Left out: it works. */
  readonly reason?: WaitReason
  /** RFC 3339: until when it waits, where that is known. */
  readonly until?: string
}

/** The state of a run, its questions and its unresolved calls. */
export interface RunState extends RunSummary, RunHistory {
  readonly questions: readonly QuestionRecord[]
}

/** An attempt that is not sent yet, and has been waiting for a while; or a step that waits for an event. */
export interface WaitingAttempt {
  readonly path: string
  readonly action: string
  /**
   * `worker`: no worker has taken it. `target`: another call uses its target. `budget`, `throttle`: the rate limit.
   * `event`: the step waits for an event.
   */
  readonly reason: 'worker' | 'target' | 'budget' | 'throttle' | 'event'
  /** The source of the event. */
  readonly message?: string
  /** RFC 3339. */
  readonly since: string
  /** RFC 3339, where it is known. */
  readonly until?: string
  /** The worker that has it. */
  readonly worker?: string
}

/** One run with everything that is small. Its attempts and events are read one by one. */
export interface RunRecord extends RunState {
  readonly inputs: JsonObject
  readonly plan: Plan
  /** RFC 3339: what happened before is not kept any more; left out: everything is. */
  readonly kept_from?: string
  /** Name of the connection it was started with; left out: the default one. */
  readonly connection?: string
  readonly outputs?: JsonObject
  /** The first 100 failures that `continue-on-error` or `tolerate` let pass. */
  readonly warnings: readonly Warning[]
  /** How many there were besides; left out: none. */
  readonly warnings_left_out?: number
  /**
   * The steps that wait for an event, and calls that have waited for over a minute, the longest first; left out:
   * nothing waits, or the engine does not know.
   */
  readonly waiting_attempts?: readonly WaitingAttempt[]
  /** In the order of the plan where they are steps of it, else in the order they began. */
  readonly steps: readonly StepRecord[]
  readonly artifacts: readonly ArtifactRecord[]
  /** The folder that the files of artifacts are relative to. */
  readonly artifacts_dir: string
}

/** What a call was sent with: secrets only by their names, sensitive arguments masked. */
export interface SentRecord {
  /** Left out where it was too large for the record. */
  readonly input?: JsonObject
  /** How large what is left out was, as JSON. */
  readonly bytes?: number
  /** The name of the file that the outputs were to be written to. */
  readonly save_as?: string
  /** Left out: the default one. */
  readonly connection?: string
  /** The call changes nothing. */
  readonly is_read?: true
}

/** One attempt of the journal. */
export interface AttemptRecord {
  readonly path: string
  readonly attempt: number
  readonly action: string
  /** What it was sent with; left out for an action that sends nothing. */
  readonly sent?: SentRecord
  /** `begun`: it is under way, or its process ended before its outcome was known. */
  readonly status: 'begun' | 'succeeded' | 'failed'
  readonly output?: JsonValue
  readonly error?: ErrorData
  readonly request_id?: string
  /** RFC 3339. */
  readonly started_at: string
  /** RFC 3339. */
  readonly ended_at?: string
  /** How long of that it waited, in milliseconds: for the rate limit, for its target, or for a process once its own had died. */
  readonly waited_ms?: number
  /** It failed, and another attempt of the same call was made. */
  readonly is_repeated?: true
  /** Its outcome is that of an attempt before a resume, and it was not made itself. */
  readonly is_taken_over?: true
  /** No longer counts: the step was tried again, after a resume or by a decision. */
  readonly is_superseded?: true
  /** The number of the resume that tried it again. */
  readonly superseded_by_resume?: number
  /** That resume changed the run: the result of this attempt is reusable. */
  readonly is_set_aside?: true
}

/** A file that a step has made, or is about to make. */
export interface ArtifactRecord {
  /** Relative to the artifacts of the run. */
  readonly file: string
  /** The path of the call that writes it. */
  readonly path: string
  /** Left out where the file is not there. */
  readonly bytes?: number
}

/** An event with its place in the log of its run. */
export interface RecordedEvent {
  /** Grows within a run; there may be gaps. */
  readonly seq: number
  readonly event: TimedRunEvent
  /** The outputs were too large for the log and are left out of the event; the attempt or the run has them. */
  readonly is_trimmed?: true
}

/** What started a run by itself. */
export type TriggerSource =
  | {
      readonly kind: 'event'
      readonly hook: string
      readonly event_id: string
      /** Place of the trigger in the list of its runbook. */
      readonly trigger: number
      /** Who has sent a recorded event once more. */
      readonly sent_by?: Identity
    }
  | {
      readonly kind: 'schedule'
      readonly schedule: string
      /** RFC 3339: the time it was for. */
      readonly at: string
      /** Place of the trigger in the list of its runbook. */
      readonly trigger: number
    }
