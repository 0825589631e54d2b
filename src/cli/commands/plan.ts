import { Command } from 'commander'
import type { Start } from '../context.ts'
import type { InputSources } from '../inputs/read-inputs.ts'
import { examples } from './examples.ts'
import {
  inputOption,
  inputsFileOption,
  type OutputFlags,
  outputOption,
  type WithActionsFlags,
  withActionsOption,
} from './options.ts'
import { runbookArgument } from './run-argument.ts'

/** The flags of `plan`, as the parser hands them over. */
export interface PlanOptions extends InputSources, OutputFlags, WithActionsFlags {
  readonly sandbox?: boolean
}

export function planCommand(start: Start): Command {
  return new Command('plan')
    .summary('what a run would do: calls, risk, time, approvals, secrets')
    .description(
      'Shows what a run would do, as far as it can be said before it. Nothing is sent, and no connection is needed.',
    )
    .argument('<runbook>', runbookArgument)
    .addOption(inputOption())
    .addOption(inputsFileOption())
    .option(
      '--sandbox',
      'as a run with --sandbox: one account, whatever connections steps name; none is started',
    )
    .addOption(withActionsOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${examples([
        'opsbook plan incident-to-post-mortem',
        'opsbook plan incident-to-post-mortem --input host=web-01 --output json',
      ])}

Inputs that are not given stay open: what depends on them is known only when the run has them.

No code of the project runs: a call of your own action counts as one create, unless --with-actions loads it.

Exit codes: 0 nothing is known to be wrong · 2 invalid runbook, inputs or arguments`,
    )
    .action((runbook: string, options: PlanOptions) =>
      start(async (context) => {
        const { plan } = await import('../plan/index.ts')
        return plan(context, runbook, options)
      }),
    )
}
