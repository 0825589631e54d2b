import { Command } from 'commander'
import type { Start } from '../context.ts'
import { codecServerCommand } from './codec-server.ts'
import { examples } from './examples.ts'
import { type OutputFlags, outputOption } from './options.ts'

export function temporalCommand(start: Start): Command {
  const setup = new Command('setup')
    .summary('register what runs are listed by')
    .description(
      'Registers the search attributes of runs in the namespace. Those that are there already stay as they are.',
    )
    .addOption(outputOption())
    .action((options: OutputFlags) =>
      start(async (context) => {
        const { setUpTemporal } = await import('../temporal/set-up.ts')
        return setUpTemporal(context, options)
      }),
    )
  return new Command('temporal')
    .summary('prepare a namespace of a Temporal server, or decode its payloads')
    .description('Prepares a namespace of a Temporal server for runs, or decodes its payloads.')
    .addCommand(setup)
    .addCommand(codecServerCommand(start))
    .addHelpText(
      'after',
      examples([
        'opsbook temporal setup',
        'opsbook doctor --engine temporal',
        'opsbook temporal codec-server',
      ]),
    )
}
