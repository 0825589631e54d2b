import { Command } from 'commander'
import type { Start } from '../context.ts'
import { examples } from './examples.ts'

export function initCommand(start: Start): Command {
  return new Command('init')
    .summary('sets a folder up: configuration, a first runbook, help in the editor')
    .description(
      'Sets a folder up for runbooks: configuration, a runbook that works, the schema for editors. Nothing that is there already is changed.',
    )
    .argument('[dir]', 'the folder; made where it is missing', '.')
    .addHelpText('after', examples(['opsbook init', 'opsbook init runbooks-of-my-team']))
    .action((folder: string) =>
      start(async (context) => {
        const { init } = await import('../init/index.ts')
        return init(context, folder)
      }),
    )
}
