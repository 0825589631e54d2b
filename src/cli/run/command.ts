import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import {
  allowOutsideOption,
  connectionOption,
  inputOption,
  inputsFileOption,
  quietOption,
  revealOption,
  runbookArgument,
  runOutputOption,
  yesOption,
} from '../shared/options.ts'

export const defineRunCommand: DefineCommand = (start) =>
  new OpsbookCommand('run')
    .summary('run a runbook and follow it')
    .description(
      'Runs a runbook on this machine or on Temporal workers, and follows it to its end. The runbook and its inputs are checked first.',
    )
    .argument('<runbook>', runbookArgument)
    .addOption(inputOption())
    .addOption(inputsFileOption())
    .addOption(connectionOption())
    .option('--sandbox', 'start a sandbox for this run and use it (embedded engine)')
    .addOption(allowOutsideOption())
    .withLocation(runOutputOption())
    .addOption(revealOption())
    .addOption(quietOption())
    .option('--id <key>', 'join the run with this key if there is one, else start it')
    .addOption(yesOption())
    .withExamples(
      [
        'opsbook run runbooks/hello.yaml --sandbox',
        'opsbook run runbooks/look.yaml --input "hosts=[web-01, disk-01]"',
        'opsbook run look --inputs-file inputs.yaml --output json > result.json',
        'opsbook run look --input "hosts=[web-01]" --id ticket-4711',
      ],
      `Ctrl-C stops the run at the next safe point, and "opsbook resume" continues it. A second Ctrl-C exits immediately.
On Temporal the run executes on workers, and Ctrl-C only detaches from it.
Approvals are asked on the terminal. Without a terminal, the run waits for "opsbook approve", unless --yes is given.
JSON output is not masked, so that scripts can use the results; it never contains the app key.`,
    )
    .executes(start, async () => (await import('./index.ts')).run)
