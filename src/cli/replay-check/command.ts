import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { outputOption } from '../shared/options.ts'

export const replayCheckCommand: DefineCommand = (start) =>
  new OpsbookCommand('replay-check')
    .summary('check whether this version can continue all open workflows')
    .description(
      'Replays the history of every open workflow of the task queue with the code of this version. It changes nothing. Use it before you replace workers with a new version. Exit code 1: this version cannot continue a workflow; the output names it, and what would stop.',
    )
    .addOption(outputOption())
    .withExamples(['opsbook replay-check', 'opsbook replay-check -o json'])
    .executes(start, async () => (await import('./index.ts')).replayCheck)
