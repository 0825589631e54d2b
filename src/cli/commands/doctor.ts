import { Command } from 'commander'
import type { Start } from '../context.ts'
import type { ServiceChoice } from '../open-service.ts'
import { examples } from './examples.ts'
import {
  connectionOption,
  dataDirOption,
  type EngineFlags,
  engineOption,
  type OutputFlags,
  outputOption,
} from './options.ts'

/** The flags of `doctor`, as the parser hands them over. */
export interface DoctorOptions extends ServiceChoice, EngineFlags, OutputFlags {}

export function doctorCommand(start: Start): Command {
  return new Command('doctor')
    .summary('checks this machine and the connection, and says what to do')
    .description(
      'Checks Node, the data directory, the configuration and the connection. Only reads are sent.',
    )
    .addOption(connectionOption())
    .option('--sandbox', 'check against a sandbox started for this')
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .addHelpText('after', examples(['opsbook doctor', 'opsbook doctor --connection staging --output json']))
    .action((options: DoctorOptions) =>
      start(async (context) => {
        const { doctor } = await import('../doctor/index.ts')
        return doctor(context, options)
      }),
    )
}
