import { Option } from 'commander'
import { usualAddresses } from '../../project/index.ts'
import { sandboxKeys } from '../../sandbox/keys.ts'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { examples } from '../shared/options.ts'

export const sandboxCommand: DefineCommand = (start) =>
  new OpsbookCommand('sandbox')
    .summary('start the local stand-in for the service')
    .description(
      'Simulates the service on this machine, for experiments and tests, with the rules and limits of the real one.',
    )
    .option('--port <number>', 'port to listen on; 0 picks a free one', String(usualAddresses.sandboxPort))
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--allow-host <name...>', 'host names that requests may use, besides IP addresses and localhost')
    .option('--state <file>', 'load the state from this file, and save changes to it')
    .option('--latency <duration>', 'delay every answer, such as 20ms')
    .option('--no-limits', 'do not count calls against the rate limits')
    .addOption(new Option('--webhook <url>', 'the address that POST /_sandbox/incidents sends events to'))
    .option('--seed <text>', 'a seed for ids and measurements: the same seed gives the same ones')
    .addHelpText(
      'after',
      () =>
        `${sandboxHelp}${examples([
          'opsbook sandbox',
          'opsbook sandbox --port 0 --latency 20ms --state sandbox.json',
        ])}`,
    )
    .executes(start, async () => (await import('./index.ts')).sandbox)

const sandboxHelp = `
App keys, one for each role:
${sandboxKeys.map(({ key, description }) => `  ${key.padEnd(16)}${description}`).join('\n')}

The first line on stdout is the base URL. Ctrl-C stops the sandbox.
`
