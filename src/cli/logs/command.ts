import { Option } from 'commander'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { dataDirOption, engineOption, positiveNumber, runArgument } from '../shared/options.ts'

export const logsCommand: DefineCommand = (start) =>
  new OpsbookCommand('logs')
    .summary('print the events of a run, line by line')
    .description('Prints the events of a run and the log messages of its steps, one per line.')
    .argument('<run>', runArgument)
    .option('-f, --follow', 'follow the run until it ends')
    .option('--step <step>', "only the events of a step and of what is inside of it, such as 'sweep[3]'")
    .option('--since <when>', 'only events since: 2h, 7d, 2026-01-31, or an RFC 3339 timestamp')
    .option('--tail <count>', 'only the last lines', positiveNumber)
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
        'opsbook logs latest --follow --tail 20',
        "opsbook logs latest --step 'sweep[3]' --since 10m",
        `opsbook logs run_20261120_231503_k3x9qd --output ndjson | jq 'select(.type == "attempt_failed")'`,
      ],
      `With --follow, the exit code is 130 if the run is interrupted.`,
    )
    .executes(start, async () => (await import('./index.ts')).logs)
