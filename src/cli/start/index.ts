/** `opsbook start`: starts a run where others carry it out. */
import type { StartFlags } from '../commands/start.ts'
import { chooseDataDir, readConfiguration, requireConnectionName } from '../configuration/index.ts'
import { placeFlags } from '../configuration/place-flags.ts'
import { scopeOf } from '../configuration/run-scope.ts'
import { answer, answerJson, type CommandContext, tell } from '../context.ts'
import { chooseEngine } from '../engine/choose-engine.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readInputs } from '../inputs/read-inputs.ts'
import { loadActions } from '../load-actions.ts'
import { checkRunInputs } from '../run/check-run-inputs.ts'
import { loadPlan } from '../run/load-plan.ts'
import { refuseFlags } from '../run/refuse-flags.ts'
import { startEmbedded } from './start-embedded.ts'

/** Starts a run and answers with its id. Nothing is started before everything that can be checked has been. */
export async function startOnly(
  context: CommandContext,
  named: string,
  options: StartFlags,
): Promise<ExitCode> {
  refuseFlags(options)
  const configuration = await readConfiguration(context.io)
  const engine = chooseEngine(options.engine, configuration, context.io)
  const actions = await loadActions(context.io)
  const plan = await loadPlan(named, actions, context)
  const inputs = checkRunInputs(plan, await readInputs(options, plan.inputs, context.io))
  const said: string[] = []
  const work = {
    plan,
    inputs,
    actions,
    dataDir: chooseDataDir(options.dataDir, configuration, context.io),
    project: scopeOf(configuration, undefined, context.io).project,
    say: (text: string) => void said.push(text),
  }
  if (engine === 'embedded') {
    if (options.connection !== undefined) requireConnectionName(options.connection, configuration)
    tellStarted(context, options, startEmbedded(named, options, work), said)
    return exitCodes.succeeded
  }
  // Nothing of Temporal is loaded where nobody uses it.
  const { startOnTemporal } = await import('./start-on-temporal.ts')
  tellStarted(context, options, await startOnTemporal(context, configuration, options, work), said)
  return exitCodes.succeeded
}

function tellStarted(
  context: CommandContext,
  options: StartFlags,
  {
    runId,
    isJoined,
    missing,
  }: { readonly runId: string; readonly isJoined: boolean; readonly missing?: string | undefined },
  said: readonly string[],
): void {
  if (options.output === 'json') answerJson(context, { run_id: runId, is_joined: isJoined })
  else answer(context, runId)
  const head = context.errorPaint.yellow('warning:')
  tell(context, [
    ...(isJoined && said.length === 0 ? ['it was started before with this key'] : said),
    ...(missing === undefined
      ? []
      : [`${head} ${missing}; "opsbook worker" starts one, and the run waits for it`]),
    `  ${`opsbook watch ${runId} ${placeFlags(options)}`.trim()}`,
  ])
}
