import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { gather, limitOption } from '../shared/options.ts'

export const runsCommand: DefineCommand = (start) =>
  new OpsbookCommand('runs')
    .summary('list runs, newest first')
    .description(
      'Lists the open and ended runs of the data directory, or of the namespace on Temporal, newest first.',
    )
    .option('--status <status>', 'only runs with this status; repeatable, or with commas', gather)
    .option('--runbook <name>', 'only runs of this runbook')
    .option('--label <name=value>', 'only runs with this label; repeatable', gather)
    .option('--since <when>', 'only runs started since: 2h, 7d, 2026-01-31, or an RFC 3339 timestamp')
    .option('--until <when>', 'only runs started before this time; a day counts whole')
    .option('--text <words>', 'only runs with this text in their id, name, labels, error or inputs')
    .addOption(limitOption())
    .withLocation()
    .withExamples(
      [
        'opsbook runs',
        'opsbook runs --status failed,unknown --since 7d',
        'opsbook runs --runbook look --label team=shop --output json',
      ],
      `Statuses: queued (for serve) · running · waiting (for approval or an event) · paused · succeeded · failed · cancelled · unknown (needs a decision) · interrupted`,
    )
    .executes(start, async () => (await import('./index.ts')).runs)
