import { Command, Option } from 'commander'
import type { Start } from '../context.ts'
import { examples, gather } from './examples.ts'
import { runbookArgument } from './run-argument.ts'

/** The flags of `plan`, as the parser hands them over. */
export interface PlanOptions {
  readonly input?: readonly string[]
  readonly inputsFile?: string
  readonly sandbox?: boolean
  readonly output: 'text' | 'json'
}

export function planCommand(start: Start): Command {
  return new Command('plan')
    .summary('what a run would do: calls, risk, time, approvals, secrets')
    .description(
      'Shows what a run would do, as far as it can be said before it. Nothing is sent, and no connection is needed.',
    )
    .argument('<runbook>', runbookArgument)
    .option(
      '-i, --input <name=value>',
      'one input: a text as it stands, anything else as YAML; repeatable',
      gather,
    )
    .option('--inputs-file <file>', 'inputs as YAML or JSON; - reads stdin; --input goes before it')
    .option(
      '--sandbox',
      'as a run with --sandbox: one account, whatever connections steps name; none is started',
    )
    .addOption(new Option('-o, --output <format>', 'how to answer').choices(['text', 'json']).default('text'))
    .addHelpText(
      'after',
      `${examples([
        'opsbook plan incident-to-post-mortem',
        'opsbook plan incident-to-post-mortem --input host=web-01 --output json',
      ])}

Inputs that are not given stay open: what depends on them is known only when the run has them.

Exit codes: 0 nothing is known to be wrong · 2 invalid runbook, inputs or arguments`,
    )
    .action((runbook: string, options: PlanOptions) =>
      start(async (context) => {
        const { plan } = await import('../plan/index.ts')
        return plan(context, runbook, options)
      }),
    )
}
