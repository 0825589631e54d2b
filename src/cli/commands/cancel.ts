import { Command, Option } from 'commander'
import type { Start } from '../context.ts'
import { examples } from './examples.ts'
import { runArgument } from './run-argument.ts'

/** The flags of `cancel`, as the parser hands them over. */
export interface CancelFlags {
  readonly now?: boolean
  readonly comment?: string
  readonly by?: string
  readonly connection?: string
  readonly sandbox?: boolean
  readonly dataDir?: string
  readonly output: 'text' | 'json'
}

export function cancelCommand(start: Start): Command {
  return new Command('cancel')
    .summary('end a run, with its clean-up')
    .description(
      'Cancels a run: nothing new is called, reads are given up, a write in flight is awaited, and "finally" is carried out, for at most 5 minutes. A second time gives that up, too.',
    )
    .argument('<run>', runArgument)
    .option('--now', 'without "finally"')
    .option('--comment <text>', 'why; it is recorded')
    .option('--by <name>', 'who cancels; it is recorded (default: the system user)')
    .option('--connection <name>', 'for the clean-up of a run that no process carries out')
    .option('--sandbox', 'the same, in a new sandbox')
    .option('--data-dir <folder>', 'where the journal and the artifacts are kept')
    .addOption(new Option('-o, --output <format>', 'how to answer').choices(['text', 'json']).default('text'))
    .addHelpText(
      'after',
      `${examples(['opsbook cancel latest', 'opsbook cancel run_20261120_231503_k3x9qd --comment "wrong host"'])}

The process that carries the run out does so; "opsbook watch RUN" shows it. Where there is none, the clean-up is
carried out here. A run that needs a decision is cancelled without one: what nobody knows stays in its record.`,
    )
    .action((run: string, options: CancelFlags) =>
      start(async (context) => {
        const { cancel } = await import('../cancel/index.ts')
        return cancel(context, run, options)
      }),
    )
}
