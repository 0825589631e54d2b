import type { Action } from '../../actions/index.ts'
import type { Plan } from '../../core/plan.ts'
import type { EngineOptions, RunHandle } from '../../engine/embedded/index.ts'
import { checkInputs } from '../../load/index.ts'
import { CommandError } from '../command-error.ts'
import { type Configuration, type Connection, createSecretStore } from '../configuration/index.ts'
import type { CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { openClients } from '../open-clients.ts'
import type { ServiceChoice } from '../open-service.ts'
import { shareLimits } from '../share-limits.ts'
import { createAsker } from './ask/create-asker.ts'
import type { RunState } from './follow/run-state.ts'
import { openNotices, tellUnreachable } from './open-notices.ts'
import { openViews, type RunViews, type ViewOptions } from './open-views.ts'
import { type Ending, untilEnd } from './until-end.ts'

/** The flags that say how a run is followed. */
export interface FollowOptions extends ViewOptions {
  readonly yes?: boolean
}

/** What a run is carried out with. */
export interface RunMeans {
  readonly configuration: Configuration
  /** The default one, where a step needs it. */
  readonly connection: Connection | undefined
  /** The flags that chose the connection. */
  readonly service: ServiceChoice
  readonly actions: readonly Action[]
  readonly plan: Plan
  readonly dataDir: string
}

/** What the engine is given by whoever follows the run. */
export type RunParts = Omit<EngineOptions, 'dataDir'>

/** How long the last messages may keep a command that has nothing else to do. */
const noticesGraceMs = 3000

/** Starts a run or goes on with one, shows it, obeys signals, asks, and answers when it has ended. */
export async function followRun(
  context: CommandContext,
  options: FollowOptions,
  means: RunMeans,
  start: (parts: RunParts, views: RunViews, signal: AbortSignal) => Promise<RunHandle>,
): Promise<ExitCode> {
  const { connection, configuration, actions, plan } = means
  await tellUnreachable(context, configuration, means.service)
  const isSandbox = means.service.sandbox === true
  const { limits, warnings } = await shareLimits(means.dataDir, { sandbox: isSandbox })
  const views = await openViews(context, options, {
    ...(connection === undefined ? {} : { appKey: connection.appKey }),
    plan,
    approvesAll: options.yes === true,
  })
  for (const warning of warnings) views.follower.say(`warning: ${warning}`)
  const clients = openClients(
    { ...means, isSandbox, limits, logger: views.logger, onConnection: (other) => welcome(other, views) },
    context.io,
  )
  const notices = await openNotices(context, means, views)
  const parts: RunParts = {
    actions,
    connect: clients.connect,
    checkInputs,
    secrets: createSecretStore(configuration, context.io, views.hide),
    onEvent: views.take,
    ...(notices.compose === undefined ? {} : { notices: notices.compose }),
    ...(options.yes ? { approve: 'all' as const } : { onQuestion: createAsker(context, options, views) }),
  }
  if (options.yes) views.follower.say('--yes: everything is approved in advance; Ctrl-C stops')
  try {
    return views.end(
      await untilEnd(context, views, endingIn(views.state), (signal) => start(parts, views, signal)),
    )
  } finally {
    await clients.close()
    limits?.close()
    await notices.end(noticesGraceMs)
  }
}

/** Another connection that a step names: its key is hidden like that of the first. */
function welcome({ appKey, warnings }: Connection, { hide, follower }: RunViews): void {
  hide(appKey)
  for (const warning of warnings) follower.say(`warning: ${warning}`)
}

/** What Ctrl-C does, and what is said of a run that gave no report. */
function endingIn(state: RunState): Ending {
  return {
    tellStop: (handle) =>
      handle?.isJoined
        ? 'no longer looking on; the run goes on in its own process'
        : `stopping at the next safe point; Ctrl-C again leaves at once${staysText(handle)}`,
    explain: (cause, { runId, isJoined }) => (isJoined ? goesOn(runId, cause) : journalLost(cause, state)),
  }
}

/** A person who stops a run means it: nothing continues it automatically. */
function staysText(handle: RunHandle | undefined): string {
  if (handle === undefined) return ''
  const { runId } = handle
  return `. The run stays as it is, also where "opsbook serve" works: "opsbook resume ${runId}" continues it, "opsbook cancel ${runId}" ends it`
}

function goesOn(runId: string, cause: unknown): CommandError {
  return new CommandError(exitCodes.interrupted, `${runId} goes on in its own process`, {
    hints: [`"opsbook watch ${runId}" follows it again`],
    cause,
  })
}

/** A run stops where its journal cannot be written. Its report is lost with it, what it did is not. */
function journalLost(cause: unknown, { runId, steps }: RunState): CommandError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const ended = steps.filter(({ status }) => status === 'succeeded').map(({ path }) => path)
  return new CommandError(
    exitCodes.environment,
    `the journal could not be written, so the run stopped: ${reason}`,
    {
      hints: [
        `done, and stays done: ${ended.length === 0 ? 'nothing' : ended.join(', ')} (${runId ?? 'no run id'})`,
        'make space in the data directory, or name another one with --data-dir',
      ],
      cause,
    },
  )
}
