import { Command } from 'commander'
import type { Start } from '../shared/context.ts'
import { dataDirOption, engineOption, examples, outputOption } from '../shared/options.ts'
import type { ConsoleFlags } from './index.ts'

export function consoleCommand(start: Start): Command {
  return new Command('console')
    .summary('look at runs in a browser')
    .description(
      'Opens a listener for browsers on this machine, and prints an address that opens one session within 60 seconds.',
    )
    .option('--read-only', 'show runs, and let nobody act')
    .option('--listen <host:port>', 'address to listen on; port 0 picks a free port', '127.0.0.1:8688')
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(['opsbook console --read-only', 'opsbook console --read-only --engine temporal']),
    )
    .action((flags: ConsoleFlags) =>
      start(async (context) => {
        const { openConsole } = await import('./index.ts')
        return openConsole(context, flags)
      }),
    )
}
