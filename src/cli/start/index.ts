/** `opsbook start`: starts a run where others carry it out. */

import { workersMissing } from '../../engine/temporal/client/look-for-workers.ts'
import { beginRun } from '../../engine/temporal/client/start-run.ts'
import { connectClient } from '../../engine/temporal/connection.ts'
import { CommandError } from '../command-error.ts'
import type { StartFlags } from '../commands/start.ts'
import { chooseDataDir, readConfiguration } from '../configuration/index.ts'
import { placeFlags } from '../configuration/place-flags.ts'
import { answer, answerJson, type CommandContext, tell } from '../context.ts'
import { chooseEngine } from '../engine/choose-engine.ts'
import { readTemporalSettings } from '../engine/temporal-settings.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readInputs } from '../inputs/read-inputs.ts'
import { loadActions } from '../load-actions.ts'
import { checkRunInputs } from '../run/check-run-inputs.ts'
import { loadPlan } from '../run/load-plan.ts'
import { refuseFlags } from '../run/refuse-flags.ts'

/** Starts a run and answers with its id. Nothing is started before everything that can be checked has been. */
export async function startOnly(
  context: CommandContext,
  named: string,
  options: StartFlags,
): Promise<ExitCode> {
  refuseFlags(options)
  const configuration = await readConfiguration(context.io)
  if (chooseEngine(options.engine, configuration, context.io) === 'embedded') throw nobodyElse(named)
  const actions = await loadActions(context.io)
  const plan = await loadPlan(named, actions, context)
  const inputs = checkRunInputs(plan, await readInputs(options, plan.inputs, context.io))
  const settings = readTemporalSettings(configuration, context.io)
  const client = await connectClient(settings)
  try {
    const { runId, isJoined } = await beginRun({
      client,
      taskQueue: settings.taskQueue,
      dataDir: chooseDataDir(options.dataDir, configuration, context.io),
      plan,
      inputs,
      actions,
      ...(options.id === undefined ? {} : { key: options.id }),
      ...(options.connection === undefined ? {} : { connection: options.connection }),
      ...(options.yes ? { approve: 'all' as const } : {}),
    })
    if (options.output === 'json') answerJson(context, { run_id: runId, is_joined: isJoined })
    else answer(context, runId)
    const missing = await workersMissing(client, settings.taskQueue)
    const head = context.errorPaint.yellow('warning:')
    tell(context, [
      ...(isJoined ? ['it was started before with this key'] : []),
      ...(missing === undefined
        ? []
        : [`${head} ${missing}; "opsbook worker" starts one, and the run waits for it`]),
      `  ${`opsbook watch ${runId} ${placeFlags(options)}`.trim()}`,
    ])
    return exitCodes.succeeded
  } finally {
    await client.connection.close()
  }
}

function nobodyElse(named: string): CommandError {
  return new CommandError(
    exitCodes.usage,
    'the embedded engine carries a run out in the process that starts it',
    {
      hints: [
        `"opsbook run ${named}" starts one and stays with it`,
        'on a Temporal server: --engine temporal',
      ],
    },
  )
}
