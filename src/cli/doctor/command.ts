import { Command } from 'commander'
import type { Start } from '../shared/context.ts'
import { connectionOption, dataDirOption, engineOption, examples, outputOption } from '../shared/options.ts'
import type { DoctorOptions } from './index.ts'

export function doctorCommand(start: Start): Command {
  return new Command('doctor')
    .summary('check this machine and the connection, with advice')
    .description(
      'Checks the configuration, the data directory, secrets, connections, hooks, notifications and Temporal. It sends only reads.',
    )
    .addOption(connectionOption())
    .option('--sandbox', 'start a sandbox, and check the connection to it')
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .addHelpText('after', examples(['opsbook doctor', 'opsbook doctor --connection staging --output json']))
    .action((options: DoctorOptions) =>
      start(async (context) => {
        const { doctor } = await import('./index.ts')
        return doctor(context, options)
      }),
    )
}
