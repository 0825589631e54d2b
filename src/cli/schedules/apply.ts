/** `opsbook schedules apply`: makes a Temporal server have what runbooks say. */

import { connectClient } from '../../engine/temporal/connection.ts'
import type { ScheduleChange } from '../../engine/temporal/schedules/apply-schedules.ts'
import { applyPlans } from '../../triggers/schedules/apply-plans.ts'
import { CommandError } from '../command-error.ts'
import type { ApplyFlags } from '../commands/schedules.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { chooseEngine } from '../engine/choose-engine.ts'
import { readTemporalSettings } from '../engine/temporal-settings.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { loadDescriptions } from '../load-actions.ts'
import { loadRunbooks } from '../serve/load-runbooks.ts'
import { printableLine } from '../terminal/printable.ts'

/** Applies the schedules of these runbooks, or of all here. */
export async function applyRunbooks(
  context: CommandContext,
  named: readonly string[],
  flags: ApplyFlags,
): Promise<ExitCode> {
  const configuration = await readConfiguration(context.io)
  if (chooseEngine(flags.engine, configuration, context.io) === 'embedded') throw serveDoes()
  const runbooks = await loadRunbooks(named, await loadDescriptions(context.io), context)
  // In a wrong folder everything would seem to be named no more.
  if (runbooks.length === 0) throw noRunbooks()
  const settings = readTemporalSettings(configuration, context.io)
  const client = await connectClient(settings)
  try {
    const changes = await applyPlans({
      ports: { client, taskQueue: settings.taskQueue },
      plans: runbooks.map(({ plan }) => plan),
      isEveryRunbook: named.length === 0,
      isDryRun: flags.dryRun ?? false,
      ...(flags.connection === undefined ? {} : { connection: flags.connection }),
    })
    tellChanges(context, changes, flags)
    return changes.some(({ error }) => error) ? exitCodes.failed : exitCodes.succeeded
  } finally {
    await client.connection.close()
  }
}

const done: Readonly<Record<ScheduleChange['change'], string>> = {
  create: 'created',
  update: 'changed',
  keep: 'as it was',
  delete: 'removed',
  fail: 'not applied',
}

const wouldBeDone: typeof done = {
  create: 'would be created',
  update: 'would be changed',
  keep: 'as it is',
  delete: 'would be removed',
  fail: 'could not be applied',
}

function tellChanges(
  context: CommandContext,
  changes: readonly ScheduleChange[],
  { output, dryRun = false }: ApplyFlags,
): void {
  if (output === 'json') {
    answerJson(context, { dry_run: dryRun, schedules: changes })
    return
  }
  if (changes.length === 0) {
    answer(context, 'no runbook has a schedule, and none is on the server')
    return
  }
  const words = dryRun ? wouldBeDone : done
  answer(
    context,
    changes.map(({ id, change, error }) =>
      printableLine(`${id}: ${words[change]}${error === undefined ? '' : `: ${error.message}`}`),
    ),
  )
}

function serveDoes(): CommandError {
  return new CommandError(
    exitCodes.usage,
    'on the embedded engine there is nothing to apply: "opsbook serve" carries out the schedules of its runbooks',
    { hints: ['on a Temporal server: --engine temporal'] },
  )
}

function noRunbooks(): CommandError {
  return new CommandError(exitCodes.usage, 'there are no runbooks in ./runbooks; nothing was changed', {
    hints: ['name them, or go to the folder of the project'],
  })
}
