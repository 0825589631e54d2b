import { Command } from 'commander'
import type { Start } from '../shared/context.ts'
import { examples, type OutputFlags, outputOption } from '../shared/options.ts'

export function temporalCommand(start: Start): Command {
  const setup = new Command('setup')
    .summary('register the search attributes of runs')
    .description('Registers the search attributes of runs in the namespace. Existing ones are not changed.')
    .addOption(outputOption())
    .action((options: OutputFlags) =>
      start(async (context) => {
        const { setUpTemporal } = await import('./set-up.ts')
        return setUpTemporal(context, options)
      }),
    )
  return new Command('temporal')
    .summary('prepare a namespace of a Temporal server')
    .description('Prepares a namespace of a Temporal server for runs.')
    .addCommand(setup)
    .addHelpText('after', examples(['opsbook temporal setup', 'opsbook doctor --engine temporal']))
}
