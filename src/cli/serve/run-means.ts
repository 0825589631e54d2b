import type { TimedRunEvent } from '../../core/events.ts'
import type { ComposeNotice, EngineOptions, RunHandle } from '../../engine/embedded/index.ts'
import { openRunReader, resumeRun, type SharedLimits } from '../../engine/embedded/index.ts'
import { takeUpRun } from '../../engine/embedded/take-up-run.ts'
import { checkInputs } from '../../load/index.ts'
import { type Connection, createSecretStore } from '../configuration/index.ts'
import type { CommandContext } from '../context.ts'
import { openClients } from '../open-clients.ts'
import type { OpenEngineOptions } from './open-embedded.ts'
import type { RunBegin } from './serve-log.ts'

/** What runs are carried out with in `serve`. */
export interface RunMeans {
  takeUp(runId: string): Promise<RunHandle>
  goOn(runId: string): Promise<RunHandle>
  close(): Promise<void>
}

/** What is shared by all of them. */
export interface RunMeansOptions extends OpenEngineOptions {
  readonly connection: Connection
  readonly limits: SharedLimits | undefined
  readonly notices: { readonly compose?: ComposeNotice }
}

/** One set of clients for all runs, whichever connection each was started with. */
export function createRunMeans(context: CommandContext, options: RunMeansOptions): RunMeans {
  const { connection, configuration, actions, dataDir, log, counts } = options
  const isSandbox = options.flags.sandbox === true
  const clients = openClients(
    {
      connection,
      isSandbox,
      configuration,
      logger: log.logger,
      limits: options.limits,
      onConnection: ({ appKey, warnings }) => {
        log.hide(appKey)
        for (const warning of warnings) log.warn(warning)
      },
    },
    context.io,
  )
  const store = createSecretStore(configuration, context.io)
  const optionsOf = (runId: string, run: KnownRun, begin: RunBegin): EngineOptions => {
    const take = log.ofRun(runId, run.runbook, begin)
    const count = counts.ofRun()
    return {
      dataDir,
      actions,
      connect: (name) => clients.connect(name ?? run.connection),
      checkInputs,
      secrets: {
        async resolve(name) {
          const value = await store.resolve(name)
          log.hide(value)
          return value
        },
      },
      onEvent(event: TimedRunEvent) {
        count(event)
        take(event)
        if (event.type === 'run_finished') counts.runEnded(run.runbook, event.status)
      },
      ...(options.notices.compose === undefined ? {} : { notices: options.notices.compose }),
    }
  }
  const forgetting = (runId: string, handle: RunHandle): RunHandle => {
    const forget = (): void => log.forgetRun(runId)
    handle.result.then(forget, forget)
    return handle
  }
  return {
    takeUp: async (runId) => {
      const run = readRun(dataDir, runId)
      return forgetting(runId, await takeUpRun({ ...optionsOf(runId, run, 'started'), runId }))
    },
    async goOn(runId) {
      const run = readRun(dataDir, runId)
      // One whose connection is not here, such as a sandbox of then, must not fail for that.
      await clients.connect(run.connection)
      return forgetting(
        runId,
        await resumeRun({ ...optionsOf(runId, run, 'resumed'), runId, isAutomatic: true }),
      )
    },
    close: clients.close,
  }
}

/** What has to be known of a run before it is carried out. */
interface KnownRun {
  readonly runbook: string
  readonly connection?: string
}

function readRun(dataDir: string, runId: string): KnownRun {
  const reader = openRunReader(dataDir)
  try {
    return reader?.readRun(runId) ?? { runbook: '' }
  } finally {
    reader?.close()
  }
}
