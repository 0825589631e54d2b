import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { byOption, commentOption, connectionOption, runArgument } from '../shared/options.ts'

export const cancelCommand: DefineCommand = (start) =>
  new OpsbookCommand('cancel')
    .summary('cancel a run; its clean-up still runs')
    .description(
      'Cancels a run. No new calls are made, reads are aborted, and a write in flight is awaited. Then "finally" runs, for at most 5 minutes. A second "cancel" aborts "finally", too.',
    )
    .argument('<run>', runArgument)
    .option('--now', 'skip "finally"')
    .addOption(commentOption('why; it is recorded'))
    .addOption(byOption('cancels'))
    .addOption(connectionOption('the connection for the clean-up of a run that no process executes'))
    .option('--sandbox', 'use a new sandbox for that clean-up')
    .withLocation()
    .withExamples(
      ['opsbook cancel latest', 'opsbook cancel run_20261120_231503_k3x9qd --comment "wrong host"'],
      `The process that executes the run does the clean-up; "opsbook watch RUN" follows it. If there is none, this command does
it; on Temporal it waits for a worker. With --now, a run on Temporal whose code no worker can replay, or whose build is
gone, is ended on the server. Unknown outcomes of a cancelled run stay unresolved in its record.`,
    )
    .executes(start, async () => (await import('./index.ts')).cancel)
