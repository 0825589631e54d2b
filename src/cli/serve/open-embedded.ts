import type { Action } from '../../actions/index.ts'
import { errorData } from '../../core/run-error.ts'
import { type EmbeddedEventBook, openEventBook } from '../../engine/embedded/events/event-book.ts'
import { createRunQueue } from '../../engine/embedded/run-queue.ts'
import { recordServing, takeServeLock } from '../../engine/embedded/serve-lock.ts'
import type { TriggeredRunbook } from '../../triggers/offers/runbook.ts'
import type { BackgroundWork } from '../../triggers/serve/background.ts'
import type { WorkCounts } from '../../triggers/serve/count-work.ts'
import type { Metrics } from '../../triggers/serve/metrics.ts'
import type { ServeFlags } from '../commands/serve.ts'
import { hasDefaultConnection, prepareDataDir } from '../configuration/index.ts'
import { keepKeysMs } from '../configuration/keep-keys.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import { scopeOf } from '../configuration/run-scope.ts'
import type { CommandContext } from '../context.ts'
import { resolveRunService, tellWarnings } from '../open-service.ts'
import { openNotices, tellUnreachable } from '../run/open-notices.ts'
import { needsDefaultConnection } from '../run/uses-of-plan.ts'
import { shareLimits } from '../share-limits.ts'
import { createRunMeans } from './run-means.ts'
import { openScheduleWork } from './schedule-work.ts'
import type { ServeEngine } from './serve-engine.ts'
import type { ServeLog } from './serve-log.ts'
import { whyLeftAlone } from './why-left-alone.ts'

/** What an engine is opened with. */
export interface OpenEngineOptions {
  readonly flags: ServeFlags
  /** How long a stop waits for calls under way. */
  readonly graceMs: number
  readonly configuration: Configuration
  readonly dataDir: string
  readonly runbooks: readonly TriggeredRunbook[]
  /** There are no others here. */
  readonly isEveryRunbook: boolean
  readonly actions: readonly Action[]
  readonly log: ServeLog
  readonly metrics: Metrics
  readonly counts: WorkCounts
}

/** The embedded engine: this process records what comes in, and carries it out. */
export async function openEmbedded(
  context: CommandContext,
  options: OpenEngineOptions,
): Promise<ServeEngine> {
  const { flags, graceMs, configuration, dataDir, runbooks, actions, log, metrics } = options
  await prepareDataDir(dataDir)
  const lock = takeServeLock(dataDir)
  const closing: (() => Promise<void> | void)[] = [() => lock.release()]
  const close = async (): Promise<void> => {
    for (const step of closing.toReversed()) await step()
  }
  try {
    recordServing(dataDir, undefined)
    await tellUnreachable(context, configuration, flags)
    const isNeeded =
      hasDefaultConnection(configuration, context.io) ||
      runbooks.some(({ plan }) => needsDefaultConnection(plan, actions))
    const { connection, close: closeService } = await resolveRunService(
      flags,
      isNeeded,
      configuration,
      context,
    )
    closing.push(closeService)
    tellWarnings(connection, context)
    if (connection) log.hide(connection.appKey)
    const named = connection === undefined ? {} : { connection: connection.name }
    const scope = scopeOf(configuration, connection, context.io)
    const here = {
      ...scope,
      configuration,
      isSandbox: flags.sandbox === true,
      continuesAll: flags.continueAll === true,
    }
    recordServing(dataDir, { ...scope, ...named })
    const { limits, warnings } = await shareLimits(dataDir, flags)
    closing.push(() => limits?.close())
    for (const warning of warnings) log.warn(warning)
    const notices = await openNotices(
      context,
      { configuration, dataDir, service: flags },
      { secretMask: log.mask, hide: log.hide },
    )
    closing.push(() => notices.end(noticesGraceMs))
    const means = createRunMeans(context, { ...options, connection, limits, notices })
    closing.push(means.close)
    const queue = createRunQueue({
      dataDir,
      maxRuns: flags.maxRuns,
      takeUp: means.takeUp,
      ...(flags.continue ? { goOn: means.goOn } : {}),
      whyLeftAlone: (run) => whyLeftAlone(run, here, context.io),
      onLeftAlone: log.leftAlone,
      onRefused: log.refusedRun,
    })
    const book = openEventBook({
      dataDir,
      keepKeysMs: keepKeysMs(configuration),
      ...named,
      mask: log.maskValue,
      onStarts: queue.wake,
      onStartLimit: log.startLimit,
      ...(notices.compose === undefined ? {} : { notices: notices.compose }),
    })
    closing.push(() => book.close())
    metrics.gauge('opsbook_runs_going_on', 'Runs that go on in this process.', () => queue.running)
    metrics.gauge('opsbook_queue_depth', 'Runs that wait to be begun.', queue.countWaiting)
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
    closing.push(schedules.close)
    return { book, background: [runs, schedules], whyNotReady: () => whyUnwritable(book), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function whyUnwritable(book: EmbeddedEventBook): Promise<string | undefined> {
  return book.tryWriting().then(
    () => undefined,
    (error) => errorData(error).message,
  )
}

/** How long the last messages may keep `serve`. */
const noticesGraceMs = 3000
