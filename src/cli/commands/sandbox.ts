import { Command, Option } from 'commander'
import { sandboxKeys } from '../../sandbox/keys.ts'
import type { Start } from '../context.ts'
import { examples } from './examples.ts'

/** The flags of `sandbox`, as the parser hands them over. */
export interface SandboxCommandOptions {
  readonly port: string
  readonly host: string
  readonly allowHost?: readonly string[]
  readonly state?: string
  readonly latency?: string
  readonly limits: boolean
  readonly webhook?: string
  readonly seed?: string
}

export function sandboxCommand(start: Start): Command {
  return new Command('sandbox')
    .summary('the local stand-in for the service')
    .description(
      'Runs the service on this machine, for trying and for tests, with every rule and limit of the real one.',
    )
    .option('--port <number>', 'port to listen on; 0 picks a free one', '8686')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--allow-host <name...>', 'host names that requests may name, besides IP addresses and localhost')
    .option('--state <file>', 'keep what calls changed in this file, and start from it')
    .option('--latency <duration>', 'delay every answer, such as 20ms')
    .option('--no-limits', 'do not count calls against the rate limits')
    .addOption(new Option('--webhook <url>', 'where POST /_sandbox/incidents sends its events'))
    .option('--seed <text>', 'other ids and measurements, the same ones for the same seed')
    .addHelpText(
      'after',
      () =>
        `${sandboxHelp}${examples([
          'opsbook sandbox',
          'opsbook sandbox --port 0 --latency 20ms --state sandbox.json',
        ])}`,
    )
    .action((options: SandboxCommandOptions) =>
      start(async (context) => {
        const { sandbox } = await import('../sandbox/index.ts')
        return sandbox(context, options)
      }),
    )
}

const sandboxHelp = `
Keys, one for each kind of person:
${sandboxKeys.map(({ key, description }) => `  ${key.padEnd(16)}${description}`).join('\n')}

The first line on stdout is the base URL. Ctrl-C ends it.
`
