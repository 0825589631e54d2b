import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { gather } from '../shared/options.ts'

export const pruneCommand: DefineCommand = (start) =>
  new OpsbookCommand('prune')
    .summary('remove old runs with their records and files, and old events')
    .description(
      'Removes old runs that have ended: their records, and the files that their steps wrote. Events from before then are removed too, unless --runbook is given. Open runs are not touched.',
    )
    .option('--older-than <duration>', 'only runs that ended longer ago than this: 12h, 30d', '30d')
    .option(
      '--status <status>',
      'only runs with this status; repeatable, or with commas (default: succeeded, failed, cancelled)',
      gather,
    )
    .option('--runbook <name>', 'only runs of this runbook')
    .option('--dry-run', 'list what would be removed, and remove nothing')
    .withLocation()
    .withExamples(
      [
        'opsbook prune --dry-run',
        'opsbook prune --older-than 7d --status succeeded',
        'opsbook prune --older-than 90d --status interrupted,unknown --runbook rollout',
      ],
      `Runs with status "interrupted" or "unknown" are removed only if --status names it: they cannot be resumed after that.
Copy files that you still need first.
On Temporal the server removes runs when the retention of the namespace has passed.`,
    )
    .executes(start, async () => (await import('./index.ts')).prune)
