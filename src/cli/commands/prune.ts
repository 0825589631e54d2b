import { Command } from 'commander'
import type { Start } from '../context.ts'
import { examples, gather } from './examples.ts'
import { dataDirOption, type EngineFlags, engineOption, type OutputFlags, outputOption } from './options.ts'

/** The flags of `prune`, as the parser hands them over. */
export interface PruneFlags extends EngineFlags, OutputFlags {
  readonly olderThan: string
  readonly status?: readonly string[]
  readonly runbook?: string
  readonly dryRun?: boolean
}

export function pruneCommand(start: Start): Command {
  return new Command('prune')
    .summary('remove old runs with their records and files, and old events')
    .description(
      'Removes runs that are over and old: what is recorded of them, and the files that their steps wrote. Events that came in before then go with them, unless a runbook is named. Runs that go on are left alone, and go on meanwhile.',
    )
    .option('--older-than <duration>', 'only runs that ended so long ago: 12h, 30d', '30d')
    .option(
      '--status <status>',
      'only runs with this status; repeatable, or with commas. Left out: succeeded, failed, cancelled',
      gather,
    )
    .option('--runbook <name>', 'only runs of this runbook')
    .option('--dry-run', 'only say what would be removed')
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${examples([
        'opsbook prune --dry-run',
        'opsbook prune --older-than 7d --status succeeded',
        'opsbook prune --older-than 90d --status interrupted,unknown --runbook rollout',
      ])}

A run that was interrupted or needs a decision is removed only where its status is named: nobody can go on with it then.
Copy the files first that somebody may still need.
On Temporal the server removes runs itself, when the retention of the namespace has passed. There prune removes the
files of runs that the server knows no more, where the last of them was written so long ago.`,
    )
    .action((flags: PruneFlags) =>
      start(async (context) => {
        const { prune } = await import('../prune/index.ts')
        return prune(context, flags)
      }),
    )
}
