import type { EventRecord, RefusedDelivery } from '../../core/triggers/index.ts'
import type {
  AuditRow,
  Compared,
  Events,
  Files,
  InboxDocument,
  JournalDocument,
  Limits,
  Outcome,
  Planned,
  ProblemDocument,
  Run,
  Runbook,
  Runbooks,
  RunSummaryDocument,
  Runs,
  Schedules,
  SessionDocument,
  StepDocument,
  System,
} from '../../documents/index.ts'
import type { StepPlace } from '../../view/graph/index.ts'
import type { ItemPage, RunView } from '../../view/run/index.ts'
import type { PageState } from '../state.ts'

/** The pages by name. */
export type PageName = keyof PageData

/** The state of one page, with the types of its answers of the API. */
export type StateOf<Name extends PageName> = PageState<Name, PageData[Name]>

/** The answers of the API that each page shows. What a page may lack is read by the browser, or left out. */
export interface PageData {
  readonly now: {
    /** Open and ended, newest first. */
    readonly runs: Runs
    readonly inbox?: InboxDocument
    readonly schedules?: Schedules
    readonly limits?: Limits
    readonly own_runbooks: OwnRunbooks
  }
  readonly inbox: { readonly inbox: InboxDocument }
  /** Filters are those of the address. */
  readonly runs: { readonly runs: Runs }
  readonly run: {
    readonly run: ShownRun
    readonly view: RunView
    readonly own_runbooks: OwnRunbooks
    /** What of the run waits for a person. */
    readonly inbox?: InboxDocument
    readonly step?: StepDocument
    readonly journal?: JournalDocument
    readonly items?: ItemPage
    readonly files?: Files
    /** Where the steps are in the drawing. */
    readonly graph?: readonly StepPlace[]
  }
  readonly decide: { readonly run: ShownRun; readonly outcome: Outcome }
  readonly resume: {
    readonly run: ShownRun
    readonly compared: ComparedResume
    readonly inbox?: InboxDocument
  }
  readonly runbooks: {
    readonly runbooks: Runbooks
    /** The last run of each runbook that has one. */
    readonly last: readonly RunSummaryDocument[]
    readonly schedules?: Schedules
  }
  readonly runbook: {
    readonly runbook: Runbook
    readonly runs?: Runs
    readonly schedules?: Schedules
  }
  readonly start: { readonly runbook: Runbook; readonly planned?: PlannedRun }
  readonly events: { readonly events: Events; readonly refused: readonly RefusedDelivery[] }
  readonly event: {
    readonly event: EventRecord
    /** The runs that it started, as far as they are on record. */
    readonly started: readonly Pick<Run, 'run_id' | 'runbook' | 'inputs'>[]
  }
  readonly schedules: { readonly schedules: Schedules; readonly own_runbooks: OwnRunbooks }
  readonly system: {
    readonly system: System
    /** Of admins alone, as the audit. */
    readonly sessions?: readonly SessionDocument[]
    /** The newest rows. Left out also where the console keeps no audit. */
    readonly audit?: readonly AuditRow[]
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
    readonly problem?: ShownProblem
  }
  readonly problem: { readonly problem: ShownProblem }
}

/** The names of the runbooks that have a page: those of the folder of the server. */
export type OwnRunbooks = readonly string[]

/** A run without its steps. Its data are there where they are shown. */
export type ShownRun = RunSummaryDocument &
  Pick<Run, 'control_requests'> &
  Partial<Pick<Run, 'inputs' | 'outputs' | 'questions' | 'artifacts'>>

/** A preview of a run, as it was asked for. */
export interface PlannedRun extends Planned {
  /** The id of the form: sent twice, it starts one run. */
  readonly once: string
  /** The fields of the form. */
  readonly given: FormValues
}

/** What a resume would do, as it was asked for. */
export interface ComparedResume extends Compared {
  /** Left out: no form asked for it. */
  readonly given?: FormValues
}

type FormValues = Readonly<Record<string, string | readonly string[]>>

/** RFC 9457. */
export type ShownProblem = Omit<ProblemDocument, 'type' | 'title' | 'detail'> &
  Partial<Pick<ProblemDocument, 'title' | 'detail'>>

/** The files of the pages, by their names before hashing: the contents of `dist/console/manifest.json`. */
export interface PageAssets {
  readonly 'console.js': string
  readonly 'console.css': string
}
