import { Option } from 'commander'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { dataDirOption, engineOption, runArgument } from '../shared/options.ts'

export const logsCommand: DefineCommand = (start) =>
  new OpsbookCommand('logs')
    .summary('print the events of a run, line by line')
    .description('Prints the events of a run and the log messages of its steps, one per line.')
    .argument('<run>', runArgument)
    .option('-f, --follow', 'follow the run until it ends')
    .option('--reveal', 'show masked values')
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(
      new Option('-o, --output <format>', 'text, or ndjson: every event as a line of JSON')
        .choices(['text', 'ndjson'])
        .default('text'),
    )
    .withExamples(
      [
        'opsbook logs latest',
        'opsbook logs latest --follow',
        `opsbook logs run_20261120_231503_k3x9qd --output ndjson | jq 'select(.type == "attempt_failed")'`,
      ],
      `With --follow, the exit code is 130 if the run is interrupted.`,
    )
    .executes(start, async () => (await import('./index.ts')).logs)
