import { Command } from 'commander'
import type { Start } from '../context.ts'
import { examples } from './examples.ts'
import { outputOption } from './options.ts'

/** The flags of `actions`, as the parser hands them over. */
export interface ActionsOptions {
  readonly output: 'text' | 'json'
}

export function actionsCommand(start: Start): Command {
  return new Command('actions')
    .summary('what "uses" can name: all actions, or one in detail')
    .description(
      'Lists the actions a runbook can use, or shows one: arguments, outputs, limits, errors, an example step.',
    )
    .argument('[name]', 'the action to show')
    .addOption(outputOption())
    .addHelpText('after', examples(['opsbook actions', 'opsbook actions monit/tools/invoke']))
    .action((name: string | undefined, options: ActionsOptions) =>
      start(async (context) => {
        const { actions } = await import('../actions/index.ts')
        return actions(context, name, options)
      }),
    )
}
