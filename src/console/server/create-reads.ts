import { readOutcomes } from '../../acts/decide/index.ts'
import { findEvent, readEvents } from '../../acts/reads/events/index.ts'
import { readInboxDocument, readWaitingOf } from '../../acts/reads/inbox/index.ts'
import { readLimits } from '../../acts/reads/limits/index.ts'
import {
  drawRun,
  readItemView,
  readShowDocument,
  readTextOfRun,
  watchRun,
} from '../../acts/reads/run/index.ts'
import { drawRunbook, readRunbookDocument, readRunbooksDocument } from '../../acts/reads/runbooks/index.ts'
import { readRunsPage } from '../../acts/reads/runs/index.ts'
import { readSystem } from '../../acts/reads/system/index.ts'
import { previewResume } from '../../acts/resume/index.ts'
import { readSchedules, withSchedules } from '../../acts/schedules/index.ts'
import { withEventStore } from '../../project/engine/index.ts'
import { CommandError, type OpenProject } from '../../project/index.ts'
import { findRunState, loadKnownActions } from '../../project/records/index.ts'
import { listOwnRunbooks } from '../../project/runbook-files/index.ts'
import { writeSvg } from '../../view/graph/index.ts'
import { type AuditLog, readAuditPage } from '../store/index.ts'
import type { ConsoleReads } from './reads.ts'
import { remember } from './remember.ts'

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
    async files(id) {
      const { artifacts } = await readShowDocument(id, engine, io, { isWithoutSteps: true })
      return { files: artifacts }
    },
    file: async (id, name) => engine.readFile((await findRunState(id, engine)).run_id, name),
    runbookText: (id) => readTextOfRun(id, engine),
    outcomes: (id) => readOutcomes(id, project),
    comparison: async (id) => previewResume(await findRunState(id, engine), {}, project),
    graph: async (id) => writeSvg(await drawRun(id, engine)),
    inbox: ({ limit }) => readInboxDocument(engine, { ...flags, limit }, loadActions),
    waiting: (id) => readWaitingOf(id, engine, flags, loadActions),
    runbooks: () => readRunbooksDocument(project),
    runbookNames: async () => (await listOwnRunbooks(io)).map(({ name }) => name),
    runbook: (name) => readRunbookDocument(name, project),
    runbookGraph: (name) => drawRunbook(name, project),
    events: (query) => readEvents(query, project, flags),
    event: (id) => withEventStore(project, flags, (store) => findEvent(store, id), noEvents),
    schedules: () => withSchedules(project, flags, readSchedules),
    limits: async () => (await engine.readRateUse(await limitsOfActions())) ?? {},
    system: () => readSystem(project, flags),
    ...(audit === undefined ? {} : { audit: async (query) => readAuditPage(audit, query, '') }),
  }
}
