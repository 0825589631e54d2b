import { Command } from 'commander'
import { usualAddresses } from '../../project/index.ts'
import type { Start } from '../shared/context.ts'
import { dataDirOption, engineOption, examples, outputOption } from '../shared/options.ts'
import type { ConsoleFlags } from './index.ts'

export function consoleCommand(start: Start): Command {
  return new Command('console')
    .summary('look at runs in a browser')
    .description(
      'Prints an address that opens one session of the console within 60 seconds: of that of "opsbook serve", or with --read-only of one that this command opens.',
    )
    .option('--read-only', 'open a console here, without serve, that only shows runs')
    .option(
      '--listen <host:port>',
      `with --read-only: address to listen on; port 0 picks a free port (default: ${usualAddresses.console})`,
    )
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'opsbook console',
        'opsbook console --read-only',
        'opsbook console --read-only --engine temporal',
      ]),
    )
    .action((flags: ConsoleFlags) =>
      start(async (context) => {
        const { openConsole } = await import('./index.ts')
        return openConsole(context, flags)
      }),
    )
}
