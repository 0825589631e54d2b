import { errorData } from '../../core/run-error.ts'
import {
  createRunQueue,
  type EmbeddedEventStore,
  openEventStore,
  openScheduleTable,
  type RunScope,
  readCallbackKey,
  readUnowned,
  recordServing,
  takeServeLock,
  type UnownedRun,
} from '../../engine/embedded/index.ts'
import { type Opened, openTogether } from '../../engine/index.ts'
import type { ComposeNotice } from '../../engine/notices/index.ts'
import { needsDefaultConnection } from '../../project/actions/index.ts'
import { resolveRunService, shareLimits } from '../../project/clients/index.ts'
import { type Configuration, keepKeysMs, prepareDataDir } from '../../project/configuration/index.ts'
import {
  connectionAddressOf,
  connectionScopeOf,
  hasDefaultConnection,
} from '../../project/connections/index.ts'
import { CommandError, isSandboxName } from '../../project/index.ts'
import { createTriggerScheduler, schedulesOf } from '../../triggers/schedules/index.ts'
import { addGauge, type BackgroundWork } from '../../triggers/server/index.ts'
import { openNotices, warnOfUnreachableTargets } from '../run/open-notices.ts'
import { type CommandContext, printWarnings } from '../shared/context.ts'
import type { Io } from '../shared/io.ts'
import { createRunDependencies } from './run-dependencies.ts'
import type { OpenEngineOptions, ServeEngine } from './serve-engine.ts'

/** Opens the embedded engine: this process records events, and executes the runs that they start. */
export function openEmbedded(context: CommandContext, options: OpenEngineOptions): Promise<ServeEngine> {
  return openTogether((opened) => openParts(context, options, opened))
}

async function openParts(
  context: CommandContext,
  options: OpenEngineOptions,
  opened: Opened,
): Promise<ServeEngine> {
  const { flags, graceMs, configuration, dataDir, runbooks, actions, log, metrics } = options
  await prepareDataDir(dataDir)
  const lock = takeServeLock(dataDir)
  opened.add(() => lock.release())
  recordServing(dataDir, undefined)
  await warnOfUnreachableTargets(context, configuration, flags)
  const isNeeded =
    hasDefaultConnection(configuration, context.io) ||
    runbooks.some(({ plan }) => needsDefaultConnection(plan, actions))
  const { connection, close: closeService } = await resolveRunService(flags, isNeeded, configuration, context)
  opened.add(closeService)
  printWarnings(connection, context)
  if (connection) log.hide(connection.appKey)
  const named = connection === undefined ? {} : { connection: connection.name }
  const scope = connectionScopeOf(configuration, connection, context.io)
  const here = {
    ...scope,
    configuration,
    isSandbox: flags.sandbox === true,
    continuesAll: flags.continueAll === true,
  }
  recordServing(dataDir, { ...scope, ...named })
  // Those of a sandbox too: the console reads them there.
  const { limits, warnings } = await shareLimits(dataDir, {})
  opened.add(() => limits?.close())
  for (const warning of warnings) log.warn(warning)
  const notices = await openNotices(
    context,
    { configuration, dataDir, service: flags },
    { secretMask: log.mask, hide: log.hide, onTried: log.notified },
  )
  opened.add(() => notices.end(noticesGraceMs))
  const dependencies = createRunDependencies(context, { ...options, connection, limits, notices })
  opened.add(dependencies.close)
  const queue = createRunQueue({
    dataDir,
    maxRuns: flags.maxRuns,
    claim: dependencies.claim,
    ...(flags.continue ? { resume: dependencies.resume } : {}),
    whyLeftAlone: (run) => whyLeftAlone(run, here, context.io),
    onLeftAlone: log.leftAlone,
    onRefused: log.refusedRun,
  })
  const events = openEventStore({
    dataDir,
    keepKeysMs: keepKeysMs(configuration),
    ...named,
    mask: log.maskValue,
    onStarts: queue.wake,
    onStartLimit: log.startLimit,
    ...(notices.compose === undefined ? {} : { notices: notices.compose }),
  })
  opened.add(() => events.close())
  addGauge(metrics, 'opsbook_runs_active', 'Runs that execute in this process.', queue.running)
  addGauge(metrics, 'opsbook_queue_depth', 'Runs that wait to be started.', queue.countQueued)
  const runs: BackgroundWork = {
    async start() {
      queue.start()
    },
    stop: () => queue.stop(graceMs),
  }
  const schedules = openScheduleWork({
    ...options,
    ...named,
    onStarted: queue.wake,
    continues: queue.continues,
    leaves: queue.leaves,
    ...(notices.compose === undefined ? {} : { notices: notices.compose }),
  })
  opened.add(schedules.close)
  return {
    events,
    async resume(runId, asked) {
      const run = readUnowned(dataDir, runId)
      const reason = run && whyElsewhere(run, here, context.io)
      if (reason !== undefined)
        throw new CommandError('usage', `this "opsbook serve" does not execute ${runId}: ${reason}`)
      await queue.resume(runId, (wait) => dependencies.resume(runId, wait, asked))
    },
    // The first run with a callback creates it.
    callbackKey: () => readCallbackKey(dataDir),
    background: [runs, schedules],
    whyNotReady: () => whyUnwritable(events),
    close: opened.close,
  }
}

async function whyUnwritable(events: EmbeddedEventStore): Promise<string | undefined> {
  return events.tryWriting().then(
    () => undefined,
    (error) => errorData(error).message,
  )
}

/** How long the end of `serve` waits for notifications that are still being delivered. */
const noticesGraceMs = 3000

/** What `serve` continues runs with. */
export interface ServeScope extends RunScope {
  readonly isSandbox: boolean
  /** Also runs that a user stopped. */
  readonly continuesAll: boolean
  readonly configuration: Configuration
}

/** Why `serve` does not continue a run: it belongs elsewhere, or a user stopped it. Undefined: it continues it. */
function whyLeftAlone(run: UnownedRun, here: ServeScope, io: Io): string | undefined {
  const elsewhere = whyElsewhere(run, here, io)
  if (elsewhere !== undefined || !run.isStopped || here.continuesAll) return elsewhere
  return 'a user stopped it with Ctrl-C or SIGTERM; "opsbook resume" or --continue-all continues it'
}

/** Why a run does not belong here: it belongs to another project, connection or sandbox. Undefined: it belongs here. */
function whyElsewhere({ id, connection, scope }: UnownedRun, here: ServeScope, io: Io): string | undefined {
  if (scope === undefined)
    return `a program started it without naming its project; "opsbook resume ${id}" continues it`
  const { project, service } = scope
  if (project !== here.project) return `it belongs to the project ${project}`
  if (service === here.service) return undefined
  if (isSandboxName(connection))
    return `it belongs to a sandbox that has ended; "opsbook resume ${id}" continues it in a new sandbox, "opsbook cancel ${id}" cancels it`
  const named = connection === undefined ? (service ?? 'no connection') : `the connection "${connection}"`
  if (here.isSandbox) return `it belongs to ${named}, not to this sandbox`
  if (service === undefined) return undefined
  if (connection === undefined) return `it belongs to ${named}`
  const address = connectionAddressOf(connection, here.configuration, io)
  if (address === undefined) return `its connection "${connection}" is not configured here`
  if (address !== service)
    return `its connection "${connection}" was at ${service}, and is at ${address} here`
  return undefined
}

/** What the schedules of the runbooks are executed with. */
export interface ScheduleWorkOptions extends Pick<OpenEngineOptions, 'dataDir' | 'runbooks' | 'log'> {
  /** Name of the connection of runs whose steps name none. */
  readonly connection?: string
  /** Called when runs are queued. */
  readonly onStarted: () => void
  /** Whether this process continues an interrupted run. */
  readonly continues: (runId: string) => boolean
  /** Whether this process leaves a queued run to others. */
  readonly leaves: (runId: string) => boolean
  readonly notices?: ComposeNotice
}

/** Executes the schedules of the runbooks in the background. */
function openScheduleWork({
  dataDir,
  runbooks,
  log,
  connection,
  onStarted,
  continues,
  leaves,
  notices,
}: ScheduleWorkOptions): BackgroundWork & { close(): void } {
  const store = openScheduleTable({
    dataDir,
    continues,
    leaves,
    ...(notices === undefined ? {} : { notices }),
  })
  const entries = runbooks.flatMap(({ plan }) => schedulesOf(plan))
  const scheduler = createTriggerScheduler({
    entries,
    store,
    ...(connection === undefined ? {} : { connection }),
    onStarted(runs, { id }) {
      log.info('schedule', { schedule: id, runs })
      onStarted()
    },
    onMissed(missed, { id }) {
      log.missed(id, missed.length, { last: new Date(missed.at(-1) ?? 0).toISOString() })
    },
    onProblem({ code, message }, { id }) {
      log.warn('schedule not evaluated', { schedule: id, code, reason: message })
    },
  })
  return {
    async start() {
      for (const { id, inputs } of entries)
        if ('problem' in inputs) log.warn('schedule starts nothing', { schedule: id, reason: inputs.problem })
      scheduler.start()
      store.serve(entries.map(({ id }) => id))
    },
    stop: scheduler.stop,
    close: store.close,
  }
}
