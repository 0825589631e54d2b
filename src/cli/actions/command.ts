import { Command } from 'commander'
import type { Start } from '../shared/context.ts'
import { examples, outputOption } from '../shared/options.ts'
import type { ListActionsOptions } from './index.ts'

export function actionsCommand(start: Start): Command {
  return new Command('actions')
    .summary('list actions, or describe one')
    .description(
      'Lists the actions that runbooks can use. With a name: its arguments, outputs, limits, errors and an example step.',
    )
    .argument('[name]', 'the action to describe')
    .addOption(outputOption())
    .addHelpText('after', examples(['opsbook actions', 'opsbook actions monit/tools/invoke']))
    .action((name: string | undefined, options: ListActionsOptions) =>
      start(async (context) => {
        const { actions } = await import('./index.ts')
        return actions(context, name, options)
      }),
    )
}
