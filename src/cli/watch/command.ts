import { Option } from 'commander'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { dataDirOption, engineOption, quietOption, revealOption, runArgument } from '../shared/options.ts'

export const watchCommand: DefineCommand = (start) =>
  new OpsbookCommand('watch')
    .summary('follow a run that another process executes')
    .description(
      'Follows a run that another process executes, to its end. For an ended run, it shows the report.',
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
    .withExamples(
      ['opsbook watch latest', 'opsbook watch run_20261120_231503_k3x9qd --output ndjson'],
      `Ctrl-C detaches, and the run continues. The exit code is that of the run: see "opsbook --help".`,
    )
    .executes(start, async () => (await import('./index.ts')).watch)
