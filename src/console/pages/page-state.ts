import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts'
import type { RateReading } from '../../core/pacing/index.ts'
import type {
  ArtifactRecord,
  ControlRequestRecord,
  Identity,
  QuestionRecord,
  RecordedStatus,
  RunSummary,
} from '../../core/record/index.ts'
import type { ResumeComparison } from '../../core/resume/index.ts'
import type { EventRecord, ScheduleRecord } from '../../core/triggers/index.ts'
import type { ItemPage, RunView } from '../../view/run/index.ts'
import type { PageName, PageState } from '../state.ts'
import type { PlanDocument } from './start/plan-document.ts'
import type { AuditEntry, OpenSession, SystemDocument } from './system/system-document.ts'

/** The state of one page, with the types of its answers of the API. */
export type StateOf<Name extends PageName> = Omit<PageState, 'page' | 'data'> & {
  readonly page: Name
  readonly data: PageData[Name]
}

/** The answers of the API that each page shows. What a page may lack is read by the browser, or left out. */
export interface PageData {
  readonly now: {
    /** Open and ended, newest first. */
    readonly runs: RunList
    readonly inbox?: InboxDocument
    readonly schedules?: SchedulesDocument
    readonly limits?: LimitsDocument
    readonly own_runbooks: OwnRunbooks
  }
  readonly inbox: { readonly inbox: InboxDocument }
  /** Filters are those of the address. */
  readonly runs: { readonly runs: RunList }
  readonly run: {
    readonly run: ShownRun
    readonly view: RunView
    readonly own_runbooks: OwnRunbooks
    /** What of the run waits for a person. */
    readonly inbox?: InboxDocument
    readonly journal?: JournalPage
    readonly items?: ItemPage
    readonly files?: { readonly files: readonly ArtifactRecord[] }
  }
  readonly decide: { readonly run: ShownRun; readonly outcome: UnknownCall }
  readonly resume: {
    readonly run: ShownRun
    readonly compared: ComparedResume
    readonly inbox?: InboxDocument
  }
  readonly runbooks: {
    readonly runbooks: { readonly runbooks: readonly RunbookSummary[] }
    readonly schedules?: SchedulesDocument
  }
  readonly runbook: {
    readonly runbook: RunbookDocument
    readonly runs?: RunList
    readonly schedules?: SchedulesDocument
  }
  readonly start: { readonly runbook: RunbookDocument; readonly planned?: PlannedRun }
  readonly events: { readonly events: EventsDocument }
  readonly schedules: { readonly schedules: SchedulesDocument; readonly own_runbooks: OwnRunbooks }
  readonly system: {
    readonly system: SystemDocument
    /** Of admins alone, as the audit. */
    readonly sessions?: readonly OpenSession[]
    /** The newest rows. Left out also where the console keeps no audit. */
    readonly audit?: readonly AuditEntry[]
  }
  readonly login: {
    /** The one-time code of the address. */
    readonly code?: string
    /** Who else logs people in: the host of a provider. */
    readonly provider?: string
    /** The address of the console behind a proxy that logs people in. */
    readonly proxy?: string
    /** The path to show then. */
    readonly next?: string
    /** Who has just logged in. */
    readonly name?: string
    /** The heading, where it is not the usual one. */
    readonly title?: string
    /** Why a log-in was refused. */
    readonly problem?: Problem
  }
  readonly problem: { readonly problem: Problem }
}

/** The names of the runbooks that have a page: those of the folder of the server. */
export type OwnRunbooks = readonly string[]

/** A page of the list of runs: `GET /api/v1/runs`. */
export interface RunList {
  readonly runs: readonly RunSummary[]
  /** The cursor of the next page. Left out: this is the last one. */
  readonly next?: string
}

/** A run as `show --output json` has it, without its steps. Its data are there where they are shown. */
export interface ShownRun extends RunSummary {
  readonly control_requests?: readonly ControlRequestRecord[]
  readonly inputs?: JsonObject
  readonly outputs?: JsonObject
  readonly questions?: readonly QuestionRecord[]
  readonly artifacts?: readonly ArtifactRecord[]
}

/** A page of the journal: the events as `logs --output ndjson` has them, with their numbers. */
export interface JournalPage {
  readonly events: readonly JournalEvent[]
  /** `after` of the next page. Left out: these are the last ones. */
  readonly next?: number
}

/** An event of a run: the fields that pages use. */
export interface JournalEvent {
  readonly seq: number
  readonly type: string
  readonly at: string
  readonly path?: string
  readonly item?: JsonValue
  readonly action?: string
  readonly attempt?: number
  readonly status?: string
  readonly error?: { readonly code: string; readonly message: string }
  readonly is_repeated?: boolean
  readonly from_journal?: boolean
  readonly reason?: string
  /** Unix time in milliseconds, or RFC 3339. */
  readonly until?: number | string
  readonly message?: string
  readonly total?: number
  readonly is_limit?: boolean
  readonly items?: number
  readonly groups?: number
  readonly approved?: boolean
  readonly by?: Identity
  readonly comment?: string
}

/** What waits for people: the document of `inbox --output json`. */
export interface InboxDocument {
  readonly waiting: readonly InboxEntry[]
  readonly unread?: readonly { readonly run_id: string; readonly code: string; readonly message: string }[]
  readonly has_more?: boolean
}

/** A question, for one item or for many; or a call with an unknown outcome. */
export type InboxEntry = {
  readonly run_id: string
  readonly runbook: string
  readonly title?: string
  readonly labels: Readonly<Record<string, string>>
  readonly status: RecordedStatus
  /** The commands that answer it. */
  readonly commands: readonly string[]
  readonly step: string
} & (
  | {
      readonly kind: 'question'
      readonly count: number
      readonly asked_at?: string
      readonly until?: string
      readonly shown: string
      readonly questions: readonly QuestionRecord[]
    }
  | {
      readonly kind: 'unknown_outcome'
      readonly path: string
      readonly action: string
      readonly attempt: number
      readonly error?: { readonly code: string; readonly message: string }
    }
)

/** A runbook of the folder of the server. */
export interface RunbookSummary {
  readonly name: string
  readonly file: string
  readonly title?: string
  readonly description?: string
  readonly labels: Readonly<Record<string, string>>
  readonly triggers: readonly TriggerDocument[]
  /** It cannot be loaded. */
  readonly problem?: { readonly message: string; readonly hints: readonly string[] }
}

export interface RunbookDocument extends RunbookSummary {
  /** Left out, as what follows: it cannot be loaded. */
  readonly plan_hash?: string
  readonly inputs?: JsonSchema
  readonly secrets?: readonly string[]
}

/** A call with an unknown outcome: `GET /api/v1/runs/{id}/outcomes`. */
export interface UnknownCall {
  readonly path: string
  readonly action: string
  readonly attempt: number
  readonly started_at: string
  readonly sent?: JsonObject
  readonly request_id?: string
  readonly error?: { readonly code: string; readonly message: string }
  /** How to find out whether it was executed. */
  readonly find_out: string
  /** The word of the call as it is shown. */
  readonly shown: string
  /** The schema of its answer. Left out: its action is not known here. */
  readonly output?: JsonSchema
  /** What of its answer later steps need. */
  readonly reads: readonly string[]
  /** What a second call can do. */
  readonly risk: 'read' | 'idempotent' | 'create'
}

/** What a resume would do: the answer of `POST /api/v1/runs/{id}/comparison`. */
export interface ComparedResume {
  /** The word of the comparison. */
  readonly shown: string
  readonly comparison: ResumeComparison
  /** The schema of the inputs that the run would have. */
  readonly inputs: JsonSchema
  /** The file of the runbook has changed since the run began. */
  readonly has_newer?: true
  /** The fields of the form. Left out: no form asked for it. */
  readonly given?: Readonly<Record<string, string | readonly string[]>>
}

/** A preview of a run, as it was asked for: the answer of `POST /api/v1/runbooks/{name}/plan`. */
export interface PlannedRun {
  /** The word of the preview. */
  readonly shown: string
  /** The id of the form: sent twice, it starts one run. */
  readonly once: string
  readonly plan: PlanDocument
  /** The fields of the form. */
  readonly given: Readonly<Record<string, string | readonly string[]>>
}

/** A trigger of a runbook: the fields that pages use. */
export interface TriggerDocument {
  readonly type: 'incident' | 'schedule'
  readonly hook?: string
  readonly where?: string
  readonly cron?: string
  readonly every_ms?: number
  readonly timezone?: string
  readonly next?: readonly string[]
}

/** Received events: the document of `events --output json`. */
export interface EventsDocument {
  readonly events: readonly EventRecord[]
  readonly paused?: PauseDocument
}

/** The document of `/api/v1/limits`. Without `limits`, the counts cannot be read. */
export type LimitsDocument = Partial<RateReading>

/** The document of `schedules --output json`. */
export interface SchedulesDocument {
  readonly engine: 'embedded' | 'temporal'
  /** False: no process executes them now. */
  readonly is_served?: boolean
  readonly paused?: PauseDocument
  readonly schedules: readonly ScheduleRecord[]
}

/** All automatic starts are paused. */
export interface PauseDocument {
  readonly by?: Identity
  readonly since?: string
  readonly comment?: string
}

/** RFC 9457. */
export interface Problem {
  readonly status: number
  readonly title?: string
  readonly code: string
  readonly detail?: string
  readonly hint?: string
}

/** The files of the pages, by their names before hashing: the contents of `dist/console/manifest.json`. */
export interface PageAssets {
  readonly 'console.js': string
  readonly 'console.css': string
}
