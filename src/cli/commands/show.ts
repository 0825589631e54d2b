import { Command } from 'commander'
import type { Start } from '../context.ts'
import { examples } from './examples.ts'
import {
  dataDirOption,
  type EngineFlags,
  engineOption,
  type OutputFlags,
  outputOption,
  revealOption,
} from './options.ts'
import { runArgument } from './run-argument.ts'

/** The flags of `show`, as the parser hands them over. */
export interface ShowOptions extends EngineFlags, OutputFlags {
  readonly full?: boolean
  readonly reveal?: boolean
}

export function showCommand(start: Start): Command {
  return new Command('show')
    .summary('one run: its steps, what went wrong, what came out')
    .description(
      'Shows a run, ended or not: its inputs and steps, what went wrong and where, what came out, how to go on.',
    )
    .argument('<run>', runArgument)
    .option('--full', 'the whole journal: every step of every item, every attempt with its answer')
    .addOption(revealOption())
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${examples([
        'opsbook show latest',
        'opsbook show run_20261120_231503_k3x9qd --full',
        'opsbook show 20261120_2315 --output json --full',
      ])}

JSON output is not masked, so that scripts can use what a run made.`,
    )
    .action((run: string, options: ShowOptions) =>
      start(async (context) => {
        const { show } = await import('../show/index.ts')
        return show(context, run, options)
      }),
    )
}
