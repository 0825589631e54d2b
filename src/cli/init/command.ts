import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'

export const initCommand: DefineCommand = (start) =>
  new OpsbookCommand('init')
    .summary('set up a folder: configuration, a first runbook, editor support')
    .description(
      'Sets up a folder for runbooks: configuration, a first runbook and the schemas for editors. Existing files are not changed.',
    )
    .argument('[dir]', 'the folder; created if it does not exist', '.')
    .withExamples(['opsbook init', 'opsbook init runbooks-of-my-team'])
    .executes(start, async () => (await import('./index.ts')).init)
