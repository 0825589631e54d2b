import { Command } from 'commander'
import type { Start } from '../shared/context.ts'
import {
  dataDirOption,
  engineOption,
  examples,
  outputOption,
  revealOption,
  runArgument,
} from '../shared/options.ts'
import type { ShowOptions } from './index.ts'

export function showCommand(start: Start): Command {
  return new Command('show')
    .summary('show one run: steps, failures, outputs')
    .description('Shows an open or ended run: its inputs, steps, failures and outputs, and the next command.')
    .argument('<run>', runArgument)
    .option('--full', 'show the whole journal: every step of every item, every attempt with its answer')
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

JSON output is masked as text is. With --reveal, scripts can use sensitive outputs, too.`,
    )
    .action((run: string, options: ShowOptions) =>
      start(async (context) => {
        const { show } = await import('./index.ts')
        return show(context, run, options)
      }),
    )
}
