import { Command } from 'commander'
import type { Start } from '../context.ts'
import type { ServiceChoice } from '../open-service.ts'
import type { WhoFlags } from '../read-who.ts'
import { examples } from './examples.ts'
import {
  byOption,
  commentOption,
  connectionOption,
  dataDirOption,
  type EngineFlags,
  engineOption,
  type OutputFlags,
  outputOption,
} from './options.ts'
import { runArgument } from './run-argument.ts'

/** The flags of `cancel`, as the parser hands them over. */
export interface CancelFlags extends WhoFlags, ServiceChoice, EngineFlags, OutputFlags {
  readonly now?: boolean
}

export function cancelCommand(start: Start): Command {
  return new Command('cancel')
    .summary('end a run, with its clean-up')
    .description(
      'Cancels a run: nothing new is called, reads are given up, a write in flight is awaited, and "finally" is carried out, for at most 5 minutes. A second time gives that up, too.',
    )
    .argument('<run>', runArgument)
    .option('--now', 'without "finally"')
    .addOption(commentOption('why; it is recorded'))
    .addOption(byOption('cancels'))
    .addOption(connectionOption('for the clean-up of a run that no process carries out'))
    .option('--sandbox', 'the same, in a new sandbox')
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${examples(['opsbook cancel latest', 'opsbook cancel run_20261120_231503_k3x9qd --comment "wrong host"'])}

The process that carries the run out does so; "opsbook watch RUN" shows it. Where there is none, the clean-up is
carried out here; on Temporal it waits for a worker. With --now a run on Temporal whose code no worker can replay, or whose
build is gone, is ended on the server. A run that needs a decision is cancelled without one: what nobody knows stays in its record.`,
    )
    .action((run: string, options: CancelFlags) =>
      start(async (context) => {
        const { cancel } = await import('../cancel/index.ts')
        return cancel(context, run, options)
      }),
    )
}
