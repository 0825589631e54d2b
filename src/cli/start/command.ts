import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import {
  connectionOption,
  inputOption,
  inputsFileOption,
  runbookArgument,
  yesOption,
} from '../shared/options.ts'

export const startCommand: DefineCommand = (start) =>
  new OpsbookCommand('start')
    .summary('start a run on "serve" or on workers, without waiting for it')
    .description(
      'Starts a run on the "opsbook serve" of the data directory or on Temporal workers, and prints its id. The runbook and its inputs are checked first.',
    )
    .argument('<runbook>', runbookArgument)
    .addOption(inputOption())
    .addOption(inputsFileOption())
    .addOption(
      connectionOption('the connection, by its name in the configuration of "serve" or of the workers'),
    )
    .withLocation()
    .option('--id <key>', 'join the run with this key if there is one, else start it')
    .addOption(yesOption())
    .withExamples(
      [
        'opsbook start look --input "hosts=[web-01]"',
        'opsbook start look --engine temporal --id ticket-4711 --output json',
      ],
      `Only the id is printed to stdout. "opsbook watch RUN" follows the run; the exit code only reports whether it was started.
On the embedded engine "opsbook serve" must be running in the data directory; "opsbook run" does not need it.`,
    )
    .executes(start, async () => (await import('./index.ts')).startOnly)
