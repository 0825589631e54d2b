import { Command } from 'commander'
import type { Start } from '../shared/context.ts'
import {
  connectionOption,
  dataDirOption,
  engineOption,
  examples,
  inputOption,
  inputsFileOption,
  outputOption,
  runbookArgument,
  yesOption,
} from '../shared/options.ts'
import type { StartFlags } from './index.ts'

export function startCommand(start: Start): Command {
  return new Command('start')
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
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .option('--id <key>', 'join the run with this key if there is one, else start it')
    .addOption(yesOption())
    .addHelpText(
      'after',
      `${examples([
        'opsbook start look --input "hosts=[web-01]"',
        'opsbook start look --engine temporal --id ticket-4711 --output json',
      ])}

Only the id is printed to stdout. "opsbook watch RUN" follows the run; the exit code only reports whether it was started.
On the embedded engine "opsbook serve" must be running in the data directory; "opsbook run" does not need it.`,
    )
    .action((runbook: string, options: StartFlags) =>
      start(async (context) => {
        const { startOnly } = await import('./index.ts')
        return startOnly(context, runbook, options)
      }),
    )
}
