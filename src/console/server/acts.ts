import type { Identity } from '../../core/events.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { ControlKind } from '../../core/record/index.ts'
import type {
  Answered,
  Compared,
  Controlled,
  Decided,
  Planned,
  Resumed,
  ScheduleChanged,
  Started,
  TriggersSet,
} from '../../documents/index.ts'
import type { Login } from './sessions.ts'

/**
 * What a person does through the console. Each act names what was on the screen. Where that has changed, it rejects with
 * a problem of status 409 that holds the new facts, and records nothing.
 */
export interface ConsoleActs {
  /**
   * Answers questions of a run, all that `shown` names or none. Resolves with what the answer did to each. The groups
   * of the login count where a question names groups.
   */
  answer(runId: string, given: AnswerHere, login: Pick<Login, 'by' | 'groups'>): Promise<Answered>
  /** Sends a control request to the process that executes a run. */
  control(runId: string, given: ControlHere, by: Identity): Promise<Controlled>
  /** Resolves a call with an unknown outcome, as it was shown. Resolves with what is left to resolve. */
  decide(runId: string, given: DecideHere, by: Identity): Promise<Decided>
  /** Pauses or resumes all automatic starts. */
  setTriggers(kind: 'pause' | 'unpause', given: SwitchHere, by: Identity): Promise<TriggersSet>
  /** Pauses or resumes a schedule, or starts a run of it now. */
  changeSchedule(
    id: string,
    verb: ConsoleScheduleVerb,
    given: SwitchHere,
    by: Identity,
  ): Promise<ScheduleChanged>
  /** Compares a run with what a resume would make of it, and names the comparison by its word. Changes nothing. */
  compare(runId: string, given: CompareHere): Promise<Compared>
  /** Resumes a run exactly as it was compared. */
  resume(runId: string, given: ResumeHere, by: Identity): Promise<Resumed>
  /** Previews a run of a runbook, and names the preview by its word. Changes nothing. */
  plan(runbook: string, given: PlanHere): Promise<Planned>
  /** Starts a run, exactly as it was previewed where the preview is named. */
  start(given: StartHere, by: Identity): Promise<Started>
}

/** What a run is planned with: the inputs, or the fields of a form in place of them. */
export interface PlanHere {
  readonly inputs?: JsonObject
  readonly fields?: FormFields
}

/** A run to start, as a page or a program sends it. */
export interface StartHere extends PlanHere {
  readonly runbook: string
  /** The word of the preview that was on the screen. Left out: it starts what it plans. */
  readonly shown?: string
  /** The same start sent again has the same key, and starts no second run. */
  readonly key?: string
}

/** An answer, as a page or a program sends it. */
export interface AnswerHere {
  /** The path of the step. */
  readonly step: string
  /** The word of the questions that were on the screen. */
  readonly shown: string
  readonly approved: boolean
  readonly value?: JsonValue
  /** In place of `value`: the fields of a form, to be read by the schema of the question. */
  readonly fields?: FormFields
  readonly comment?: string
}

/** The fields of an answer as a browser sends them, by name. */
export interface FormFields {
  /** Texts, read as `--set` reads them. Empty: the default, or nothing. */
  readonly texts: Readonly<Record<string, string>>
  /** Positions among the choices that the question lists. */
  readonly choices: Readonly<Record<string, readonly number[]>>
}

/** A control request, as a page or a program sends it. */
export interface ControlHere {
  readonly kind: ControlKind
  /** How many control requests of the run were on the screen. */
  readonly shown: number
  readonly comment?: string
}

/** The changes of a resume, as the flags of `opsbook resume`. Steps are named by their paths. */
export interface CompareHere extends PlanHere {
  /** With the runbook as its file is now. */
  readonly newest?: boolean
  readonly from?: string
  readonly repeat?: readonly string[]
  readonly keep?: readonly string[]
  readonly skip?: readonly string[]
}

/** A resume, as a page or a program sends it. */
export interface ResumeHere extends CompareHere {
  /** The word of the comparison that was on the screen. */
  readonly shown: string
}

/** How an unknown outcome is resolved, as a page or a program sends it. */
export interface DecideHere {
  /** The path of the call. */
  readonly step: string
  /** The word of the call that was on the screen. */
  readonly shown: string
  readonly decision: 'succeeded' | 'failed' | 'retry'
  /** With `succeeded`: the answer of the call. */
  readonly outputs?: JsonObject
  /** In place of `outputs`: the fields of a form. */
  readonly fields?: FormFields
  readonly comment?: string
}

/** What a person does to a schedule. */
export type ConsoleScheduleVerb = 'trigger' | 'pause' | 'unpause'

/** An act on automatic starts, as a page or a program sends it. */
export interface SwitchHere {
  /**
   * How it stood on the screen: since when it is paused, `paused` where that is not known, or `active`. For `trigger`: the last time of the schedule, or
   * `never`.
   */
  readonly shown: string
  readonly comment?: string
}
