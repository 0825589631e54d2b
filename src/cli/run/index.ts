/** `opsbook run`: checks everything that can be checked, starts the run, follows it, reports. */
import { refuseOutside, requireSecrets } from '../../actions/index.ts'
import { startRun } from '../../engine/embedded/index.ts'
import type { RunOptions } from '../commands/run.ts'
import {
  chooseDataDir,
  createSecretStore,
  prepareDataDir,
  readRunConfiguration,
} from '../configuration/index.ts'
import { scopeOf } from '../configuration/run-scope.ts'
import type { CommandContext } from '../context.ts'
import { chooseEngine } from '../engine/choose-engine.ts'
import type { ExitCode } from '../exit-codes.ts'
import { readInputs } from '../inputs/read-inputs.ts'
import { loadActions } from '../load-actions.ts'
import { resolveRunService, tellWarnings } from '../open-service.ts'
import { actionsFor } from '../stays-inside.ts'
import { checkRunInputs } from './check-run-inputs.ts'
import { followRun } from './follow-run.ts'
import { loadPlan } from './load-plan.ts'
import { refuseFlags } from './refuse-flags.ts'
import { needsDefaultConnection } from './uses-of-plan.ts'

/** Runs a runbook to its end. Nothing is sent before everything that can be checked has been. */
export async function run(context: CommandContext, named: string, options: RunOptions): Promise<ExitCode> {
  refuseFlags(options)
  const configuration = await readRunConfiguration(context.io)
  const engine = chooseEngine(options.engine, configuration, context.io)
  const actions = actionsFor(options, await loadActions(context.io))
  const plan = await loadPlan(named, actions, context)
  const inputs = checkRunInputs(plan, await readInputs(options, plan.inputs, context.io))
  const dataDir = chooseDataDir(options.dataDir, configuration, context.io)
  if (engine === 'temporal') {
    const { runOnTemporal } = await import('./run-on-temporal.ts')
    return runOnTemporal(context, options, { plan, inputs, actions, configuration, dataDir })
  }
  // Before a sandbox starts, a secret is asked for or a folder is made.
  refuseOutside({ plan, inputs, actions })
  await requireSecrets({ plan, inputs, actions }, createSecretStore(configuration, context.io))
  const isNeeded = needsDefaultConnection(plan, actions)
  const { connection, close } = await resolveRunService(options, isNeeded, configuration, context)
  const key = options.id === undefined ? {} : { key: options.id }
  try {
    await prepareDataDir(dataDir)
    tellWarnings(connection, context)
    return await followRun(
      context,
      options,
      {
        connection,
        configuration,
        service: options,
        actions,
        plan,
        dataDir,
      },
      (parts, { follower }, signal) =>
        startRun({
          ...parts,
          ...key,
          plan,
          inputs,
          dataDir,
          ...(connection === undefined ? {} : { connection: connection.name }),
          scope: scopeOf(configuration, connection, context.io),
          say: follower.say,
          signal,
        }),
    )
  } finally {
    await close()
  }
}
