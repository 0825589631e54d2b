import { Command } from 'commander'
import type { Start } from '../context.ts'
import { examples } from './examples.ts'
import { type OutputFlags, outputOption } from './options.ts'

export function replayCheckCommand(start: Start): Command {
  return new Command('replay-check')
    .summary('see whether this version can go on with the runs that are open')
    .description(
      'Replays the history of every run that is open on a Temporal server with the code of this version, and changes nothing. Before workers of a new version take the place of the old ones; exit code 1 when there is a run that they could not go on with.',
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
