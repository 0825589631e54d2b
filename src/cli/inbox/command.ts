import { Command } from 'commander'
import type { Start } from '../shared/context.ts'
import { dataDirOption, engineOption, examples, limitOption, outputOption } from '../shared/options.ts'
import type { InboxFlags } from './index.ts'

export function inboxCommand(start: Start): Command {
  return new Command('inbox')
    .summary('list what waits for a person: open questions and unknown outcomes')
    .description(
      'Lists every open question and every unresolved outcome of the data directory, or of the task queue on Temporal, the earliest deadline first. The same question of many items of a loop is one entry. Each entry ends with the commands that answer it.',
    )
    .addOption(limitOption())
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .addHelpText('after', examples(['opsbook inbox', 'opsbook inbox --engine temporal --output json']))
    .action((options: InboxFlags) =>
      start(async (context) => {
        const { inbox } = await import('./index.ts')
        return inbox(context, options)
      }),
    )
}
