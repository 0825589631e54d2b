import { readOutcomes } from '../../acts/decide/index.ts'
import { eventsDocument, findEvent, readEventsPage, readReason } from '../../acts/reads/events/index.ts'
import { readInboxDocument, readWaitingOf } from '../../acts/reads/inbox/index.ts'
import { drawRun, readItemView, readShowDocument, watchRun } from '../../acts/reads/run/index.ts'
import { drawRunbook, readRunbookDocument, readRunbooksDocument } from '../../acts/reads/runbooks/index.ts'
import { readRunsPage } from '../../acts/reads/runs/index.ts'
import { readSystem } from '../../acts/reads/system/index.ts'
import { previewResume } from '../../acts/resume/index.ts'
import { readSchedules, withSchedules } from '../../acts/schedules/index.ts'
import { type ConsoleReads, remember } from '../../console/server/index.ts'
import type { AuditLog } from '../../console/store/index.ts'
import type { ActionDescription, CallWindows } from '../../core/action.ts'
import { createMask } from '../../core/mask/index.ts'
import { connectionSubject } from '../../core/pacing/index.ts'
import type { Engine } from '../../engine/index.ts'
import { httpConnections } from '../../project/configuration/index.ts'
import { connectionWindowsOf } from '../../project/connections/index.ts'
import { withEventStore } from '../../project/engine/index.ts'
import { CommandError, type EngineFlags } from '../../project/index.ts'
import { findRun, findRunState, learnSecrets, loadKnownActions } from '../../project/records/index.ts'
import { listOwnRunbooks } from '../../project/runbook-files/index.ts'
import { readMoment } from '../../project/text/index.ts'
import { writeSvg } from '../../view/graph/index.ts'
import { readAuditPage } from '../audit/index.ts'
import { type CommandContext, withoutTerminal } from '../shared/context.ts'
import type { Io } from '../shared/io.ts'

/** Where the documents come from. */
export interface ReadsOptions {
  readonly context: CommandContext
  readonly engine: Engine
  /** The flags that find the engine again. */
  readonly flags: EngineFlags
  /** Left out: this console keeps no audit. */
  readonly audit?: AuditLog
}

/** Changes of `opsbook.yaml` and of the documents of APIs count after this time, in milliseconds. */
const knownMs = 60_000

/** The documents of the commands, for the console. What `show` masks is masked in all of them. */
export function createReads({ context: given, engine, flags, audit }: ReadsOptions): ConsoleReads {
  const context = withoutTerminal(given)
  // Pages ask every few seconds, and the documents of APIs are large.
  const { read: loadActions } = remember(() => loadKnownActions(context.io), knownMs)
  const { read: limitsOfActions } = remember(async () => readLimits(await loadActions(), context.io), knownMs)
  const noEvents = (): never => {
    throw new CommandError('usage', `there are no events in ${engine.location}`, {
      code: 'EventNotFound',
    })
  }
  return {
    runs: (query) => readRunsPage(query, engine),
    run: (id, part) => readShowDocument(id, engine, context.io, part),
    runId: async (given) => (await findRunState(given, engine)).run_id,
    async watch(id) {
      const limits = await limitsOfActions()
      return watchRun(id, engine, (action) => limits.get(action))
    },
    item: (id, path) => readItemView(id, path, engine),
    async files(id) {
      const { artifacts } = await readShowDocument(id, engine, context.io, { isWithoutSteps: true })
      return { files: artifacts }
    },
    file: async (id, name) => engine.readFile((await findRunState(id, engine)).run_id, name),
    async runbookText(id) {
      const run = await findRun(id, engine, { isWithoutSteps: true })
      const mask = createMask()
      await learnSecrets(run, engine, mask)
      return run.plan.text === undefined ? undefined : mask.text(run.plan.text)
    },
    outcomes: (id) => readOutcomes(id, { ...context, engine, flags }),
    comparison: async (id) =>
      previewResume(await findRunState(id, engine), {}, { ...context, engine, flags }),
    graph: async (id) => writeSvg(await drawRun(id, engine)),
    inbox: ({ limit }) => readInboxDocument(engine, { ...flags, limit }, loadActions),
    waiting: (id) => readWaitingOf(id, engine, flags, loadActions),
    runbooks: () => readRunbooksDocument(context),
    runbookNames: async () => (await listOwnRunbooks(context.io)).map(({ name }) => name),
    runbook: (name) => readRunbookDocument(name, context),
    runbookGraph: (name) => drawRunbook(name, context),
    events: ({ because, since, started, ...words }) =>
      withEventStore(
        context,
        flags,
        async (store) =>
          eventsDocument(
            await readEventsPage(store, {
              ...words,
              ...(because === undefined ? {} : { because: readReason(because) }),
              ...(since === undefined ? {} : { receivedFromMs: readMoment(since, Date.now(), 'since') }),
              ...(started === true ? { isStart: true } : {}),
            }),
          ),
        () => ({ events: [] }),
      ),
    event: (id) => withEventStore(context, flags, (store) => findEvent(store, id), noEvents),
    schedules: () => withSchedules(context, flags, readSchedules),
    limits: async () => (await engine.readRateUse(await limitsOfActions())) ?? {},
    system: () => readSystem(context, flags),
    ...(audit === undefined ? {} : { audit: async (query) => readAuditPage(audit, query, '') }),
  }
}

/** How often each action and connection may be called. */
async function readLimits(
  actions: readonly ActionDescription[],
  io: Io,
): Promise<ReadonlyMap<string, CallWindows>> {
  const { readLeniently } = await import('../../project/configuration/index.ts')
  // A mistake in opsbook.yaml must not hide the runs.
  const found = await readLeniently(io).catch(() => undefined)
  const connections = Object.entries(httpConnections(found?.document.connections))
  return new Map([
    ...actions.flatMap(({ name, limit }) => (limit === undefined ? [] : [[name, limit] as const])),
    ...connections.flatMap(([name, { limits }]) =>
      limits === undefined ? [] : [[connectionSubject(name), connectionWindowsOf(limits)] as const],
    ),
  ])
}
