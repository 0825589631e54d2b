import { readOutcomes } from '../../acts/decide/index.ts'
import {
  type EventsQuery,
  findEvent,
  newestRefused,
  readEventsDocument,
} from '../../acts/reads/events/index.ts'
import { readInboxDocument, readWaitingOf } from '../../acts/reads/inbox/index.ts'
import { readLimits } from '../../acts/reads/limits/index.ts'
import {
  drawRun,
  readItemView,
  readShowDocument,
  readStepDocument,
  readTextOfRun,
  type WatchedRun,
  watchRun,
} from '../../acts/reads/run/index.ts'
import { drawRunbook, readRunbookDocument, readRunbooksDocument } from '../../acts/reads/runbooks/index.ts'
import { type RunsSelection, readRunsPage } from '../../acts/reads/runs/index.ts'
import { readSystem } from '../../acts/reads/system/index.ts'
import { planResume } from '../../acts/resume/index.ts'
import { readSchedules, withSchedules } from '../../acts/schedules/index.ts'
import type { EventRecord, RefusedDelivery } from '../../core/triggers/index.ts'
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
  StepDocument,
  System,
} from '../../documents/index.ts'
import type { RunFile } from '../../engine/index.ts'
import { withEventStore } from '../../project/engine/index.ts'
import { CommandError, type OpenProject } from '../../project/index.ts'
import { findRunState, loadKnownActions } from '../../project/records/index.ts'
import { listOwnRunbooks } from '../../project/runbook-files/index.ts'
import { placesOfSteps, type StepPlace, writeSvg } from '../../view/graph/index.ts'
import type { RunView } from '../../view/run/index.ts'
import { type AuditLog, type AuditQuery, readAuditPage } from '../store/index.ts'
import { remember } from './remember.ts'

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
  /** One step, item or call with its attempts, by its path. Rejects with a `StepNotFound`. */
  step(
    runId: string,
    path: string,
    page: { readonly after?: number; readonly limit: number },
  ): Promise<StepDocument>
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
  /** Where the steps of a run are in its drawing. */
  stepPlaces(runId: string): Promise<readonly StepPlace[]>
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
  /** The newest refused deliveries, of one hook if the query names one. */
  refused(query: Pick<EventsQuery, 'hook' | 'limit'>): Promise<readonly RefusedDelivery[]>
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

/** Changes of `opsbook.yaml` and of the documents of APIs count after this time, in milliseconds. */
const knownMs = 60_000

/** The documents of the commands, for the console. What `show` masks is masked in all of them. Without `audit` it keeps none. */
export function createReads(project: OpenProject, audit?: AuditLog): ConsoleReads {
  const { io, engine, flags } = project
  // Pages ask every few seconds, and the documents of APIs are large.
  const { read: loadActions } = remember(() => loadKnownActions(io), knownMs)
  const { read: limitsOfActions } = remember(async () => readLimits(await loadActions(), io), knownMs)
  const noEvents = (): never => {
    throw new CommandError('usage', `there are no events in ${engine.location}`, {
      code: 'EventNotFound',
    })
  }
  return {
    runs: (query) => readRunsPage(query, engine),
    run: (id, part) => readShowDocument(id, engine, io, part),
    runId: async (given) => (await findRunState(given, engine)).run_id,
    async watch(id) {
      const limits = await limitsOfActions()
      return watchRun(id, engine, (action) => limits.get(action))
    },
    item: (id, path) => readItemView(id, path, engine),
    step: (id, path, page) => readStepDocument(id, path, engine, page),
    async files(id) {
      const { artifacts } = await readShowDocument(id, engine, io, { isWithoutSteps: true })
      return { files: artifacts }
    },
    file: async (id, name) => engine.readFile((await findRunState(id, engine)).run_id, name),
    runbookText: (id) => readTextOfRun(id, engine),
    outcomes: (id) => readOutcomes(id, project),
    comparison: async (id) => planResume(await findRunState(id, engine), {}, project),
    graph: async (id) => writeSvg(await drawRun(id, engine)),
    stepPlaces: async (id) => placesOfSteps(await drawRun(id, engine)),
    inbox: ({ limit }) => readInboxDocument(engine, { ...flags, limit }, loadActions),
    waiting: (id) => readWaitingOf(id, engine, flags, loadActions),
    runbooks: () => readRunbooksDocument(project),
    runbookNames: async () => (await listOwnRunbooks(io)).map(({ name }) => name),
    runbook: (name) => readRunbookDocument(name, project),
    runbookGraph: (name) => drawRunbook(name, project),
    events: (query) => readEventsDocument(query, project, flags),
    refused: (query) => newestRefused(query, project, flags),
    event: (id) => withEventStore(project, flags, (store) => findEvent(store, id), noEvents),
    schedules: () => withSchedules(project, flags, readSchedules),
    limits: async () => (await engine.readRateUse(await limitsOfActions())) ?? {},
    system: () => readSystem(project, flags),
    ...(audit === undefined ? {} : { audit: async (query) => readAuditPage(audit, query, '') }),
  }
}
