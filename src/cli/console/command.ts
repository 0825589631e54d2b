import { usualAddresses } from '../../project/index.ts'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'

export const consoleCommand: DefineCommand = (start) =>
  new OpsbookCommand('console')
    .summary('look at runs in a browser')
    .description(
      'Prints an address that opens one session of the console within 60 seconds: of that of "opsbook serve", or with --read-only of one that this command opens.',
    )
    .option('--read-only', 'open a console here, without serve, that only shows runs')
    .option(
      '--listen <host:port>',
      `with --read-only: address to listen on; port 0 picks a free port (default: ${usualAddresses.console})`,
    )
    .withLocation()
    .withExamples([
      'opsbook console',
      'opsbook console --read-only',
      'opsbook console --read-only --engine temporal',
    ])
    .executes(start, async () => (await import('./index.ts')).openConsole)
