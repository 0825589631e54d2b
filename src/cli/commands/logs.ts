import { Command, Option } from 'commander'
import type { Start } from '../context.ts'
import { examples } from './examples.ts'
import { dataDirOption, type EngineFlags, engineOption } from './options.ts'
import { runArgument } from './run-argument.ts'

/** The flags of `logs`, as the parser hands them over. */
export interface LogsOptions extends EngineFlags {
  readonly follow?: boolean
  readonly reveal?: boolean
  readonly output: 'text' | 'ndjson'
}

export function logsCommand(start: Start): Command {
  return new Command('logs')
    .summary('what happened in a run, line by line')
    .description('Prints what happened in a run and what its steps logged, one line for each event.')
    .argument('<run>', runArgument)
    .option('-f, --follow', 'go on as long as the run does')
    .option('--reveal', 'show values that are masked')
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(
      new Option('-o, --output <format>', 'text, or ndjson: every event as a line of JSON')
        .choices(['text', 'ndjson'])
        .default('text'),
    )
    .addHelpText(
      'after',
      examples([
        'opsbook logs latest',
        'opsbook logs latest --follow',
        `opsbook logs run_20261120_231503_k3x9qd --output ndjson | jq 'select(.type == "attempt_failed")'`,
      ]),
    )
    .action((run: string, options: LogsOptions) =>
      start(async (context) => {
        const { logs } = await import('../logs/index.ts')
        return logs(context, run, options)
      }),
    )
}
