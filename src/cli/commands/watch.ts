import { Command, Option } from 'commander'
import type { Start } from '../context.ts'
import type { ViewOptions } from '../run/open-views.ts'
import { examples } from './examples.ts'
import { dataDirOption, engineOption, quietOption, revealOption } from './options.ts'
import { runArgument } from './run-argument.ts'

/** The flags of `watch`, as the parser hands them over. */
export interface WatchOptions extends ViewOptions {
  readonly output: 'text' | 'ndjson'
}

export function watchCommand(start: Start): Command {
  return new Command('watch')
    .summary('look on while a run of another process goes on')
    .description(
      'Follows a run that another process carries out, to its end. Of a run that has ended: the report.',
    )
    .argument('<run>', runArgument)
    .addOption(
      new Option('-o, --output <format>', 'text: live view and report; ndjson: every event as a line')
        .choices(['text', 'ndjson'])
        .default('text'),
    )
    .addOption(revealOption())
    .addOption(quietOption())
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addHelpText(
      'after',
      `${examples(['opsbook watch latest', 'opsbook watch run_20261120_231503_k3x9qd --output ndjson'])}

Ctrl-C ends looking on; the run goes on. The exit code is that of the run: see "opsbook --help".`,
    )
    .action((run: string, options: WatchOptions) =>
      start(async (context) => {
        const { watch } = await import('../watch/index.ts')
        return watch(context, run, options)
      }),
    )
}
