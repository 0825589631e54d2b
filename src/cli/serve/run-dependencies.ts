import type { ResumeRun } from '../../acts/resume/index.ts'
import type { TimedRunEvent } from '../../core/events.ts'
import {
  claimQueuedRun,
  type EngineOptions,
  openRunReader,
  type ResumeWait,
  resumeRun,
  type SharedLimits,
} from '../../engine/embedded/index.ts'
import type { ComposeNotice } from '../../engine/notices/index.ts'
import type { RunHandle } from '../../engine/record/index.ts'
import { checkInputs } from '../../load/index.ts'
import { openClients } from '../../project/clients/index.ts'
import { publicUrls } from '../../project/configuration/index.ts'
import { type ConfiguredConnection, createSecretStore } from '../../project/connections/index.ts'
import type { CommandContext } from '../shared/context.ts'
import type { OpenEngineOptions } from './serve-engine.ts'
import type { RunBegin } from './serve-log.ts'

/** How `serve` executes runs. */
export interface ServedRunDependencies {
  claim(runId: string): Promise<RunHandle>
  resume(runId: string, wait: ResumeWait, asked?: Parameters<ResumeRun>[1]): Promise<RunHandle>
  close(): Promise<void>
}

/** What all runs of one `serve` share. */
export interface RunDependenciesOptions extends OpenEngineOptions {
  readonly connection: ConfiguredConnection | undefined
  readonly limits: SharedLimits | undefined
  readonly notices: { readonly compose?: ComposeNotice }
}

/** One set of clients for all runs, whichever connection each was started with. */
export function createRunDependencies(
  context: CommandContext,
  options: RunDependenciesOptions,
): ServedRunDependencies {
  const { connection, configuration, actions, dataDir, log, counts } = options
  const clients = openClients(
    {
      connection,
      service: options.flags,
      configuration,
      logger: log.logger,
      limits: options.limits,
      onConnection: ({ secrets, warnings }) => {
        for (const secret of secrets) log.hide(secret)
        for (const warning of warnings) log.warn(warning)
      },
    },
    context.io,
  )
  const store = createSecretStore(configuration, context.io, log.hide)
  const optionsOf = (runId: string, run: KnownRun, begin: RunBegin): EngineOptions => {
    const take = log.ofRun(runId, run.runbook, begin)
    const count = counts.ofRun()
    return {
      dataDir,
      actions,
      connect: (name) => clients.connect(name ?? run.connection),
      checkInputs,
      ...publicUrls(configuration),
      people: configuration.document.people ?? {},
      secrets: store,
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
    async claim(runId) {
      const run = readRun(dataDir, runId)
      return forgetting(runId, await claimQueuedRun({ ...optionsOf(runId, run, 'started'), runId }))
    },
    async resume(runId, { say, signal }, asked) {
      const run = readRun(dataDir, runId)
      // A run whose connection is not configured here, such as an ended sandbox, stays interrupted and does not fail.
      if (run.connection !== undefined) await clients.connect(run.connection)
      return forgetting(
        runId,
        await resumeRun({
          ...optionsOf(runId, run, 'resumed'),
          runId,
          ...(asked ?? { isAutomatic: true as const }),
          signal,
          say(text) {
            log.info('run not resumed yet', { run: runId, reason: text })
            say(text)
          },
        }),
      )
    },
    close: clients.close,
  }
}

/** What has to be known of a run before it is executed. */
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
