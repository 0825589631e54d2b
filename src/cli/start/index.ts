/** `opsbook start`: starts a run that `serve` or workers execute. */

import { type Action, insideSandbox } from '../../actions/index.ts'
import type { Identity } from '../../core/events.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import { shellWord } from '../../core/text/index.ts'
import { findServing, isServed, type QueuedRun, queueRun } from '../../engine/embedded/index.ts'
import { loadActions } from '../../project/actions/index.ts'
import {
  type Configuration,
  chooseDataDir,
  publicUrl,
  readConfiguration,
} from '../../project/configuration/index.ts'
import { connectionScopeOf, requireConnectionName } from '../../project/connections/index.ts'
import { chooseEngine } from '../../project/engine/index.ts'
import { CommandError, type EngineFlags, refuseEmpty, sandboxName } from '../../project/index.ts'
import { checkRunInputs, loadPlan } from '../../project/runbooks/index.ts'
import { locationFlags } from '../../project/text/index.ts'
import { answer, answerJson, type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { advanceText, requireDefaults } from '../shared/given-in-advance.ts'
import { readInputs } from '../shared/read-inputs.ts'
import type { StartedWork, StartFlags } from './start-on-temporal.ts'

/** Starts a run and prints its id. Nothing is started before all checks have passed. */
export async function startOnly(
  context: CommandContext,
  named: string,
  options: StartFlags,
): Promise<ExitCode> {
  if (options.id !== undefined) refuseEmpty(options.id, '--id')
  const configuration = await readConfiguration(context.io)
  const actions = await loadActions(context.io)
  const plan = await loadPlan(named, actions, context)
  requireDefaults(plan, options)
  const inputs = checkRunInputs(plan, await readInputs(options, plan.inputs, context.io))
  if (options.yes) tell(context, advanceText(plan))
  const started = await requestStart(context, options, { named, plan, inputs, actions, configuration })
  printStarted(context, options, started)
  return exitCodes.succeeded
}

/** A run to start, all of it checked but its arguments. */
export interface CheckedStart {
  /** How the caller named the runbook, for hints. */
  readonly named: string
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly actions: readonly Action[]
  readonly configuration: Configuration
  /**
   * Who starts it.
   * @default the system user of this process
   */
  readonly by?: Identity
}

/** A run that `serve` or workers execute. */
export interface RequestedRun {
  readonly runId: string
  /** It is an open run, which has the same key. */
  readonly isJoined: boolean
  /** There are no workers for it. */
  readonly missing?: string | undefined
  /** What happened to the start because of another run. */
  readonly said: readonly string[]
}

/** Starts a run for the `serve` of the data directory, or on the workers. Nothing is started before all checks have passed. */
export async function requestStart(
  context: CommandContext,
  options: Omit<StartFlags, 'output'>,
  { named, configuration, ...checked }: CheckedStart,
): Promise<RequestedRun> {
  const said: string[] = []
  const work = {
    ...checked,
    dataDir: chooseDataDir(options.dataDir, configuration, context.io),
    project: connectionScopeOf(configuration, undefined, context.io).project,
    say: (text: string) => void said.push(text),
  }
  if (chooseEngine(options.engine, configuration, context.io) === 'embedded') {
    if (options.connection !== undefined) requireConnectionName(options.connection, configuration)
    return { ...startEmbedded(named, options, { ...work, ...publicUrl(configuration) }), said }
  }
  // The packages of Temporal are loaded only for that engine.
  const { startOnTemporal } = await import('./start-on-temporal.ts')
  return { ...(await startOnTemporal(context, configuration, options, work)), said }
}

function printStarted(
  context: CommandContext,
  options: StartFlags,
  { runId, isJoined, missing, said }: RequestedRun,
): void {
  if (options.output === 'json') answerJson(context, { run_id: runId, is_joined: isJoined })
  else answer(context, runId)
  const head = context.errorPaint.yellow('warning:')
  tell(context, [
    ...(isJoined && said.length === 0 ? ['joined the run that was started with this key'] : said),
    ...(missing === undefined
      ? []
      : [`${head} ${missing}; "opsbook worker" starts one, and the run waits for it`]),
    `  ${`opsbook watch ${runId} ${locationFlags(options)}`.trim()}`,
  ])
}

/** Records the run for the `serve` of the data directory. */
function startEmbedded(
  named: string,
  options: Omit<StartFlags, 'output'>,
  work: StartedWork & { readonly publicUrl?: string },
): QueuedRun {
  if (!isServed(work.dataDir)) throw notServed(named, options, work.dataDir)
  refuseOtherProject(work)
  return queueRun({
    ...work,
    actions:
      findServing(work.dataDir)?.connection === sandboxName ? insideSandbox(work.actions) : work.actions,
    ...(options.id === undefined ? {} : { key: options.id }),
    ...(options.connection === undefined ? {} : { connection: options.connection }),
    ...(options.yes ? { approve: 'all' as const } : {}),
  })
}

function notServed(named: string, options: EngineFlags, dataDir: string): CommandError {
  const flags = locationFlags(options)
  return new CommandError('environment', `no "opsbook serve" is running in ${dataDir} to execute the run`, {
    hints: [
      `"${`opsbook serve ${flags}`.trim()}" starts one`,
      `"opsbook run ${shellWord(named)}" executes the run itself`,
      'on a Temporal server: --engine temporal',
    ],
  })
}

/** Refuses a run if the `serve` of the data directory serves another project, and would not execute it. */
export function refuseOtherProject({
  dataDir,
  project,
}: {
  readonly dataDir: string
  readonly project: string
}): void {
  const serving = findServing(dataDir)
  if (serving?.project === project) return
  const message =
    serving === undefined
      ? `the "opsbook serve" in ${dataDir} is still starting`
      : `the "opsbook serve" in ${dataDir} serves the project ${serving.project}, not ${project}`
  throw new CommandError('environment', message, {
    hints: [
      serving === undefined
        ? 'try again'
        : 'start the run from that project, or name another folder with --data-dir',
    ],
  })
}
