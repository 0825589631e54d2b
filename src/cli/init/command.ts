import { Command } from 'commander'
import type { Start } from '../shared/context.ts'
import { examples } from '../shared/options.ts'

export function initCommand(start: Start): Command {
  return new Command('init')
    .summary('set up a folder: configuration, a first runbook, editor support')
    .description(
      'Sets up a folder for runbooks: configuration, a first runbook and the schemas for editors. Existing files are not changed.',
    )
    .argument('[dir]', 'the folder; created if it does not exist', '.')
    .addHelpText('after', examples(['opsbook init', 'opsbook init runbooks-of-my-team']))
    .action((folder: string) =>
      start(async (context) => {
        const { init } = await import('./index.ts')
        return init(context, folder)
      }),
    )
}
