import type { EventsQuery } from '../../acts/reads/events/index.ts'
import type { WatchedRun } from '../../acts/reads/run/index.ts'
import type { RunsSelection } from '../../acts/reads/runs/index.ts'
import type { EventRecord } from '../../core/triggers/index.ts'
import type {
  Audit,
  Compared,
  Events,
  Files,
  InboxDocument,
  Limits,
  Outcomes,
  Run,
  Runbook,
  Runbooks,
  Runs,
  Schedules,
  System,
} from '../../documents/index.ts'
import type { RunFile } from '../../engine/index.ts'
import type { RunView } from '../../view/run/index.ts'
import type { AuditQuery } from '../store/index.ts'

/** What the console reads, as the documents of the commands: the command line and the console make them by one function. */
export interface ConsoleReads {
  /** The runs that the parameters select, and where the next page begins. */
  runs(query: RunsSelection): Promise<Runs>
  /** Rejects with a `RunNotFound` if there is no such run, as all readers of one run do. */
  run(runId: string, part?: { readonly isWithoutSteps?: true }): Promise<Run>
  /** The whole id of the run that `latest` or the beginning of an id stands for. */
  runId(given: string): Promise<string>
  /** Opens a run to follow it. */
  watch(runId: string): Promise<WatchedRun>
  /** The steps of one item of a loop, by its path. */
  item(runId: string, path: string): Promise<RunView>
  /** The files of a run, as its record names them. */
  files(runId: string): Promise<Files>
  /** Undefined: the record has no such file, or it is not there. */
  file(runId: string, name: string): Promise<RunFile | undefined>
  /** The text of the runbook that a run was started with. Undefined: it is not on record. */
  runbookText(runId: string): Promise<string | undefined>
  /** The calls of a run with an unknown outcome: what was sent, when, and how to find out. */
  outcomes(runId: string): Promise<Outcomes>
  /** What a resume of a run would do, without changes. Rejects where it cannot be resumed. */
  comparison(runId: string): Promise<Compared>
  /** What happened in a run, as SVG. */
  graph(runId: string): Promise<string>
  inbox(query: { readonly limit: number }): Promise<InboxDocument>
  /** The part of the inbox that one run has. */
  waiting(runId: string): Promise<InboxDocument>
  runbooks(): Promise<Runbooks>
  /** The names of the runbooks that {@link runbook} finds. */
  runbookNames(): Promise<readonly string[]>
  /** Rejects with a `RunbookNotFound`, as the other reader of one runbook does. */
  runbook(name: string): Promise<Runbook>
  /** As SVG. */
  runbookGraph(name: string): Promise<string>
  events(query: EventsQuery): Promise<Events>
  /** Rejects with an `EventNotFound`. */
  event(id: string): Promise<EventRecord>
  schedules(): Promise<Schedules>
  /** How full the rate windows of the actions are. Without `limits`: they cannot be read. */
  limits(): Promise<Limits>
  /** The checks of this machine and its connections. */
  system(): Promise<System>
  /** Who did what. Left out: this console keeps no audit. */
  audit?(query: AuditQuery): Promise<Audit>
}
