import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { revealOption, runArgument } from '../shared/options.ts'

export const showCommand: DefineCommand = (start) =>
  new OpsbookCommand('show')
    .summary('show one run: steps, failures, outputs')
    .description('Shows an open or ended run: its inputs, steps, failures and outputs, and the next command.')
    .argument('<run>', runArgument)
    .argument(
      '[step]',
      'a step, with an item or an attempt of a batch: what it was sent, and what it answered',
    )
    .option('--full', 'show the whole journal: every step of every item, every attempt with its answer')
    .option('--failed', 'show only what did not succeed, and the calls of batches whose items failed in part')
    .addOption(revealOption())
    .withLocation()
    .withExamples(
      [
        'opsbook show latest',
        'opsbook show run_20261120_231503_k3x9qd --full',
        'opsbook show 20261120_2315 --output json --full',
        'opsbook show latest --failed',
        "opsbook show latest 'sweep[3]/invoke'",
      ],
      `JSON output is masked as text is. With --reveal, scripts can use sensitive outputs, too.`,
    )
    .executes(start, async () => (await import('./index.ts')).show)
