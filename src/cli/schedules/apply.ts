/** `opsbook schedules apply`: makes the schedules of a Temporal server match the runbooks. */

import type { ScheduleChange } from '../../engine/temporal/schedules/index.ts'
import { loadDescriptions } from '../../project/actions/index.ts'
import { readConfiguration } from '../../project/configuration/index.ts'
import { chooseEngine } from '../../project/engine/index.ts'
import { CommandError } from '../../project/index.ts'
import { loadRunbooks } from '../../project/runbooks/index.ts'
import { withTemporalClient } from '../../project/temporal/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { applyPlans } from '../../triggers/temporal/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { SchedulesFlags } from './index.ts'

/** The flags of `schedules apply`. */
export interface ApplyFlags extends SchedulesFlags {
  readonly connection?: string
  readonly dryRun?: boolean
}

/** Applies the schedules of these runbooks, or of all runbooks here. */
export async function applyRunbooks(
  context: CommandContext,
  named: readonly string[],
  flags: ApplyFlags,
): Promise<ExitCode> {
  const configuration = await readConfiguration(context.io)
  if (chooseEngine(flags.engine, configuration, context.io) === 'embedded') throw serveDoes()
  const runbooks = await loadRunbooks(named, await loadDescriptions(context.io), context)
  // In a wrong folder every schedule would look obsolete.
  if (runbooks.length === 0) throw noRunbooks()
  return withTemporalClient(context, configuration, async (ports) => {
    const changes = await applyPlans({
      ports,
      plans: runbooks.map(({ plan }) => plan),
      isEveryRunbook: named.length === 0,
      isDryRun: flags.dryRun ?? false,
      ...(flags.connection === undefined ? {} : { connection: flags.connection }),
    })
    printChanges(context, changes, flags)
    return changes.some(({ error }) => error) ? exitCodes.failed : exitCodes.succeeded
  })
}

const done: Readonly<Record<ScheduleChange['change'], string>> = {
  create: 'created',
  update: 'changed',
  keep: 'unchanged',
  delete: 'removed',
  fail: 'not applied',
}

const wouldBeDone: typeof done = {
  create: 'would be created',
  update: 'would be changed',
  keep: 'unchanged',
  delete: 'would be removed',
  fail: 'could not be applied',
}

function printChanges(
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
    'usage',
    'on the embedded engine there is nothing to apply: "opsbook serve" executes the schedules of its runbooks',
    { hints: ['on a Temporal server: --engine temporal'] },
  )
}

function noRunbooks(): CommandError {
  return new CommandError('usage', 'there are no runbooks in ./runbooks; nothing was changed', {
    hints: ['name runbooks, or change to the folder of the project'],
  })
}
