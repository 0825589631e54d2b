import type { Action } from '../../actions/index.ts'
import { advanceText } from '../../acts/index.ts'
import type { Plan } from '../../core/plan/index.ts'
import type { StepRecord } from '../../core/record/index.ts'
import type { EngineOptions } from '../../engine/embedded/index.ts'
import { openTogether } from '../../engine/index.ts'
import type { RunHandle } from '../../engine/record/index.ts'
import { checkInputs } from '../../load/index.ts'
import { type FurtherConnection, openClients, shareLimits } from '../../project/clients/index.ts'
import { type Configuration, publicUrls } from '../../project/configuration/index.ts'
import {
  type ConfiguredConnection,
  createSecretStore,
  type ServiceChoice,
} from '../../project/connections/index.ts'
import { CommandError } from '../../project/index.ts'
import { locationFlags } from '../../project/text/index.ts'
import type { RunTree } from '../../view/run/index.ts'
import type { CommandContext } from '../shared/context.ts'
import type { ExitCode } from '../shared/exit-codes.ts'
import type { FollowFlags } from '../shared/options.ts'
import { createAsker } from './create-asker.ts'
import { endNotices, openNotices, warnOfUnreachableTargets } from './open-notices.ts'
import { openViews, type RunViews } from './open-views.ts'
import { type Ending, untilEnd } from './until-end.ts'

/** What a run is executed with. */
export interface RunDependencies {
  readonly configuration: Configuration
  /** The default one, where a step needs it. */
  readonly connection: ConfiguredConnection | undefined
  /** The flags that chose the connection. */
  readonly service: ServiceChoice
  readonly actions: readonly Action[]
  readonly plan: Plan
  readonly dataDir: string
  /** The run is resumed. */
  readonly hasBegun?: true | 'cancelled'
  /** The steps of a run that is resumed without changes. */
  readonly steps?: readonly StepRecord[]
}

/** What the command that follows a run gives to the engine. */
export type RunParts = Omit<EngineOptions, 'dataDir'>

/** Starts or resumes a run, shows it, obeys signals, asks its questions, and answers when the run has ended. */
export function followInTerminal(
  context: CommandContext,
  options: FollowFlags,
  dependencies: RunDependencies,
  start: (parts: RunParts, views: RunViews, signal: AbortSignal) => Promise<RunHandle>,
): Promise<ExitCode> {
  const { connection, configuration, service, actions, plan, dataDir } = dependencies
  return openTogether(async (opened) => {
    await warnOfUnreachableTargets(context, configuration, service)
    const isSandbox = service.sandbox === true
    const { limits, warnings } = await shareLimits(dataDir, { sandbox: isSandbox })
    opened.add(() => limits?.close())
    const views = await openViews(context, options, {
      ...(connection === undefined ? {} : { appKey: connection.appKey }),
      plan,
      ...(dependencies.hasBegun ? { hasBegun: dependencies.hasBegun } : {}),
    })
    opened.add(() => views.follower.end({ isKept: false }))
    for (const warning of warnings) views.follower.say(`warning: ${warning}`)
    const notices = await openNotices(context, dependencies, views)
    let stop: AbortSignal | undefined
    opened.add(() => endNotices(context, notices, { isStopped: stop?.aborted === true }))
    const onConnection = (other: FurtherConnection): void => welcome(other, views)
    const clients = openClients(
      { connection, configuration, service, limits, logger: views.logger, onConnection },
      context.io,
    )
    opened.add(clients.close)
    const parts: RunParts = {
      actions,
      connect: clients.connect,
      checkInputs,
      ...publicUrls(configuration),
      people: configuration.document.people ?? {},
      secrets: createSecretStore(configuration, context.io, views.hide),
      onEvent: views.take,
      ...(notices.compose === undefined ? {} : { notices: notices.compose }),
      ...(options.yes ? { approve: 'all' as const } : {}),
      onQuestion: createAsker(context, options, views),
    }
    if (options.yes) views.follower.say(`${advanceText(plan, dependencies.steps)}; Ctrl-C stops`)
    const run = await untilEnd(context, views, endingIn(views.state), (signal) => {
      stop = signal
      return start(parts, views, signal)
    })
    // Only now: the run may have ended before its next safe point.
    if (stop?.aborted && run.status === 'interrupted' && !run.is_joined)
      views.follower.say(stoppedText(run.run_id, options))
    const exitCode = await views.end(run)
    await opened.close()
    return exitCode
  })
}

/** Another connection that a step names: its secrets are hidden like the key of the first. */
function welcome({ secrets, warnings }: FurtherConnection, { hide, follower }: RunViews): void {
  for (const secret of secrets) hide(secret)
  for (const warning of warnings) follower.say(`warning: ${warning}`)
}

/** What Ctrl-C does, and the error for a run that gave no report. */
function endingIn(state: RunTree): Ending {
  return {
    stopText: (handle) =>
      handle?.isJoined
        ? 'detached; the run continues in its own process'
        : 'stopping at the next safe point; Ctrl-C again exits immediately',
    explain: (cause, { runId, isJoined }) => (isJoined ? detached(runId, cause) : journalLost(cause, state)),
  }
}

/** A run that a user stopped is not resumed automatically. */
function stoppedText(runId: string, options: FollowFlags): string {
  const command = (verb: string): string => `"${`opsbook ${verb} ${runId} ${locationFlags(options)}`.trim()}"`
  return `${command('resume')} continues it, ${command('cancel')} cancels it; "opsbook serve" does neither`
}

function detached(runId: string, cause: unknown): CommandError {
  return new CommandError('interrupted', `${runId} continues in its own process`, {
    hints: [`"opsbook watch ${runId}" follows it again`],
    cause,
  })
}

/** The error for a run that stopped because its journal could not be written. */
function journalLost(cause: unknown, { runId, steps }: RunTree): CommandError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const ended = steps.filter(({ status }) => status === 'succeeded').map(({ path }) => path)
  return new CommandError('environment', `the journal could not be written, so the run stopped: ${reason}`, {
    hints: [
      `completed: ${ended.length === 0 ? 'nothing' : ended.join(', ')} (${runId ?? 'no run id'})`,
      'free disk space in the data directory, or name another one with --data-dir',
    ],
    cause,
  })
}
