import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { revealOption, runArgument } from '../shared/options.ts'

export const showCommand: DefineCommand = (start) =>
  new OpsbookCommand('show')
    .summary('show one run: steps, failures, outputs')
    .description('Shows an open or ended run: its inputs, steps, failures and outputs, and the next command.')
    .argument('<run>', runArgument)
    .option('--full', 'show the whole journal: every step of every item, every attempt with its answer')
    .addOption(revealOption())
    .withLocation()
    .withExamples(
      [
        'opsbook show latest',
        'opsbook show run_20261120_231503_k3x9qd --full',
        'opsbook show 20261120_2315 --output json --full',
      ],
      `JSON output is masked as text is. With --reveal, scripts can use sensitive outputs, too.`,
    )
    .executes(start, async () => (await import('./index.ts')).show)
