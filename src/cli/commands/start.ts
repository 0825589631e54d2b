import { Command } from 'commander'
import type { Start } from '../context.ts'
import type { InputSources } from '../inputs/read-inputs.ts'
import { examples } from './examples.ts'
import {
  connectionOption,
  dataDirOption,
  type EngineFlags,
  engineOption,
  inputOption,
  inputsFileOption,
  type OutputFlags,
  outputOption,
  yesOption,
} from './options.ts'
import { runbookArgument } from './run-argument.ts'

/** The flags of `start`, as the parser hands them over. */
export interface StartFlags extends InputSources, EngineFlags, OutputFlags {
  readonly connection?: string
  readonly id?: string
  readonly yes?: boolean
}

export function startCommand(start: Start): Command {
  return new Command('start')
    .summary('start a runbook where others carry it out, and do not wait')
    .description(
      'Starts a run on the "opsbook serve" of the data directory, or on the workers of a Temporal server, and answers with its id. Everything that can be checked is checked first.',
    )
    .argument('<runbook>', runbookArgument)
    .addOption(inputOption())
    .addOption(inputsFileOption())
    .addOption(connectionOption('which connection of the configuration of those who carry it out'))
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .option('--id <key>', 'start or join: the same key never starts a second run')
    .addOption(yesOption())
    .addHelpText(
      'after',
      `${examples([
        'opsbook start look --input "hosts=[web-01]"',
        'opsbook start look --engine temporal --id ticket-4711 --output json',
      ])}

The id alone stands on stdout. "opsbook watch RUN" looks on; the exit code says only whether it was started.
On the embedded engine a "opsbook serve" must be at work in the data directory; "opsbook run" needs none.`,
    )
    .action((runbook: string, options: StartFlags) =>
      start(async (context) => {
        const { startOnly } = await import('../start/index.ts')
        return startOnly(context, runbook, options)
      }),
    )
}
