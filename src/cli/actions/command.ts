import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { outputOption } from '../shared/options.ts'

export const actionsCommand: DefineCommand = (start) =>
  new OpsbookCommand('actions')
    .summary('list actions, or describe one')
    .description(
      'Lists the actions that runbooks can use. With a name: its arguments, outputs, limits, errors and an example step.',
    )
    .argument('[name]', 'the action to describe')
    .addOption(outputOption())
    .withExamples(['opsbook actions', 'opsbook actions monit/tools/invoke'])
    .executes(start, async () => (await import('./index.ts')).actions)
