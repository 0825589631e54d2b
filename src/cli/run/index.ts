/** `opsbook run`: checks everything that can be checked, starts the run, follows it, reports. */

import { refuseOutside, requireSecrets } from '../../actions/index.ts'
import { requireDefaults } from '../../acts/index.ts'
import { startRun } from '../../engine/embedded/index.ts'
import { loadActions, needsDefaultConnection } from '../../project/actions/index.ts'
import { resolveRunService } from '../../project/clients/index.ts'
import { chooseDataDir, prepareDataDir, readRunConfiguration } from '../../project/configuration/index.ts'
import {
  actionsFor,
  connectionScopeOf,
  createSecretStore,
  type ServiceChoice,
} from '../../project/connections/index.ts'
import { chooseEngine } from '../../project/engine/index.ts'
import { refuseEmpty } from '../../project/index.ts'
import { checkRunInputs, loadPlan } from '../../project/runbooks/index.ts'
import { type CommandContext, printWarnings } from '../shared/context.ts'
import type { ExitCode } from '../shared/exit-codes.ts'
import type { FollowFlags } from '../shared/options.ts'
import { type InputSources, readInputs } from '../shared/read-inputs.ts'
import { followInTerminal } from './follow-run.ts'

/** The flags of `run`, as the parser hands them over. */
export interface RunFlags extends InputSources, ServiceChoice, FollowFlags {
  readonly id?: string
}

/** Runs a runbook to its end. Nothing is sent before all checks have passed. */
export async function run(context: CommandContext, named: string, options: RunFlags): Promise<ExitCode> {
  if (options.id !== undefined) refuseEmpty(options.id, '--id')
  const configuration = await readRunConfiguration(context.io)
  const engine = chooseEngine(options.engine, configuration, context.io)
  const actions = actionsFor(options, await loadActions(context.io))
  const plan = await loadPlan(named, actions, context, options)
  const inputs = checkRunInputs(plan, await readInputs(options, plan.inputs, context.io))
  requireDefaults(plan, inputs, options)
  const dataDir = chooseDataDir(options.dataDir, configuration, context.io)
  if (engine === 'temporal') {
    const { runOnTemporal } = await import('./run-on-temporal.ts')
    return runOnTemporal(context, options, { plan, inputs, actions, configuration, dataDir })
  }
  // Before a sandbox starts, a connection is opened or a folder is created.
  refuseOutside({ plan, inputs, actions })
  await requireSecrets({ plan, inputs, actions }, createSecretStore(configuration, context.io))
  const isNeeded = needsDefaultConnection(plan, actions)
  const { connection, close } = await resolveRunService(options, isNeeded, configuration, context)
  const key = options.id === undefined ? {} : { key: options.id }
  try {
    await prepareDataDir(dataDir)
    printWarnings(connection, context)
    return await followInTerminal(
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
          scope: connectionScopeOf(configuration, connection, context.io),
          say: follower.say,
          signal,
        }),
    )
  } finally {
    await close()
  }
}
