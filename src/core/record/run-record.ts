import type { RunStatus, StepStatus, TimedRunEvent } from '../events.ts'
import type { Answer } from '../host.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { ErrorData } from '../run-error.ts'
import type { Identity } from './identity.ts'
import type { RunHistory } from './run-history.ts'
import type { StartedFrom } from './started-from.ts'

/**
 * Where a run stands: how it ended, or `queued` until `opsbook serve` takes it up, or `running`, or `waiting` for the
 * answer of a person, or `paused` by one. A run whose process is gone is `interrupted`, whatever it was doing.
 */
export type RecordedStatus = RunStatus | OpenStatus

/** Where a run stands that a process carries out, or is about to. */
export type OpenStatus = 'queued' | 'running' | 'waiting' | 'paused'

/** Whether a process carries the run out, or is about to. */
export function isCarriedOut(status: RecordedStatus): status is OpenStatus {
  return status === 'queued' || status === 'running' || status === 'waiting' || status === 'paused'
}

/** What a step came to, as the record and the report say it. */
export interface StepRecord {
  /** Such as `checks`, `block/inner` or `hosts[3]/export`. */
  readonly path: string
  readonly name?: string
  readonly action: string
  readonly status: StepStatus | 'running' | 'pending' | 'interrupted'
  readonly attempts: number
  readonly error?: ErrorData
  /** It failed, and the run went on all the same. */
  readonly is_warning?: boolean
  /** The failure that its `catch` took the place of. */
  readonly caught?: ErrorData
  /** Why it was skipped: the condition, as written. */
  readonly condition?: string
  /** Why it was skipped: the values that the condition read, by their paths. */
  readonly values?: JsonObject
  /** RFC 3339. */
  readonly started_at?: string
  /** RFC 3339. */
  readonly ended_at?: string
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
  readonly error?: ErrorData
  /** RFC 3339. */
  readonly started_at: string
  /** The system user who started it; left out by runs of older versions. */
  readonly started_by?: Identity
  /** What started it by itself; left out: a person did. */
  readonly started_from?: StartedFrom
  /** RFC 3339. Left out while the run is open; that of the last ending where it was resumed. */
  readonly ended_at?: string
}

/** How a run stands between the people who have to do with it. */
export interface RunStanding extends RunSummary, RunHistory {
  readonly questions: readonly QuestionRecord[]
}

/** An attempt that is not sent yet, and has been waiting for a while. */
export interface WaitingAttempt {
  readonly path: string
  readonly action: string
  /** `worker`: no worker has taken it. `target`: another call uses its target. `budget`, `throttle`: the rate limit. */
  readonly reason: 'worker' | 'target' | 'budget' | 'throttle'
  /** RFC 3339. */
  readonly since: string
  /** RFC 3339, where it is known. */
  readonly until?: string
  /** The worker that has it. */
  readonly worker?: string
}

/** One run with everything that is small. Its attempts and events are read one by one. */
export interface RunRecord extends RunStanding {
  readonly inputs: JsonObject
  readonly plan: Plan
  /** RFC 3339: what happened before is not kept any more; left out: everything is. */
  readonly kept_from?: string
  /** Name of the connection it was started with; left out: the default one. */
  readonly connection?: string
  readonly outputs?: JsonObject
  /** The first 100 failures that `continue-on-error` let pass. */
  readonly warnings: readonly ErrorData[]
  /** How many there were besides; left out: none. */
  readonly warnings_left_out?: number
  /** What has been waiting for over a minute, the longest first; left out: nothing, or the engine does not know. */
  readonly waiting_attempts?: readonly WaitingAttempt[]
  /** In the order of the plan where they are steps of it, else in the order they began. */
  readonly steps: readonly StepRecord[]
  readonly artifacts: readonly ArtifactRecord[]
  /** The folder that the files of artifacts are relative to. */
  readonly artifacts_dir: string
}

/** What a write was sent with: secrets only by their names, sensitive arguments masked. */
export interface SentRecord {
  /** Left out where it was too large for the record. */
  readonly input?: JsonObject
  /** How large what is left out was, as JSON. */
  readonly bytes?: number
  /** The name of the file that the outputs were to be written to. */
  readonly save_as?: string
  /** Left out: the default one. */
  readonly connection?: string
}

/** One attempt of the journal. */
export interface AttemptRecord {
  readonly path: string
  readonly attempt: number
  readonly action: string
  /** What a write was sent with; left out for what changes nothing elsewhere. */
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
  /** Kept for the record only: the step was tried again, since the run was resumed or somebody decided so. */
  readonly is_superseded?: true
  /** The number of the resume that tried it again. */
  readonly superseded_by_resume?: number
  /** That resume changed the run: what this came to is there for its calls to take over. */
  readonly is_set_aside?: true
}

/** What a person was asked, and what they said. */
export interface QuestionRecord {
  readonly path: string
  readonly message: string
  /** RFC 3339: when it was first asked. */
  readonly asked_at: string
  /** RFC 3339: how long an answer is waited for; left out: for ever. */
  readonly until?: string
  /** `expired`: nobody answered in time. `withdrawn`: the step that asked was cancelled. */
  readonly status: 'open' | 'answered' | 'expired' | 'withdrawn'
  readonly answer?: Answer
  /** Kept for the record only: the run was resumed, and it was asked again. */
  readonly is_superseded?: true
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
