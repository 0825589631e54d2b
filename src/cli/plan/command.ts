import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import {
  inputOption,
  inputsFileOption,
  outputOption,
  runbookArgument,
  withActionsOption,
} from '../shared/options.ts'

export const planCommand: DefineCommand = (start) =>
  new OpsbookCommand('plan')
    .summary('preview a run: calls, risk, time, approvals, secrets')
    .description(
      'Previews what a run would do, as far as that is known before it starts. Nothing is sent, and no connection is needed.',
    )
    .argument('<runbook>', runbookArgument)
    .addOption(inputOption())
    .addOption(inputsFileOption())
    .option(
      '--sandbox',
      'preview a run with --sandbox: one account for all connections; no sandbox is started',
    )
    .addOption(withActionsOption())
    .addOption(outputOption())
    .withExamples(
      [
        'opsbook plan incident-to-post-mortem',
        'opsbook plan incident-to-post-mortem --input host=web-01 --output json',
      ],
      `Inputs that are not given stay open, and so does everything that depends on them.

No code of the project is executed: a call of your own action counts as one create, unless you add --with-actions.

Exit codes: 0 no known problem · 2 invalid runbook, inputs or arguments`,
    )
    .executes(start, async () => (await import('./index.ts')).plan)
