import { Command } from 'commander'
import type { Start } from '../context.ts'
import { examples } from './examples.ts'
import { type OutputFlags, outputOption } from './options.ts'

export function replayCheckCommand(start: Start): Command {
  return new Command('replay-check')
    .summary('see whether this version can continue the workflows that are open')
    .description(
      'Replays the history of every workflow that is open on the task queue with the code of this version: runs, rate limiters, locks, events and all others. It changes nothing. Use it before workers of a new version take the place of the old ones. Exit code 1: there is a workflow that they could not continue, and it says what that would stop.',
    )
    .addOption(outputOption())
    .addHelpText('after', examples(['opsbook replay-check', 'opsbook replay-check -o json']))
    .action((options: OutputFlags) =>
      start(async (context) => {
        const { replayCheck } = await import('../replay-check/index.ts')
        return replayCheck(context, options)
      }),
    )
}
