import { Command } from 'commander'
import type { Start } from '../context.ts'
import type { InputSources } from '../inputs/read-inputs.ts'
import type { ServiceChoice } from '../open-service.ts'
import type { FollowOptions } from '../run/follow-run.ts'
import { examples } from './examples.ts'
import {
  allowOutsideOption,
  connectionOption,
  dataDirOption,
  engineOption,
  inputOption,
  inputsFileOption,
  quietOption,
  revealOption,
  runOutputOption,
  yesOption,
} from './options.ts'
import { runbookArgument } from './run-argument.ts'

/** The flags of `run`, as the parser hands them over. */
export interface RunOptions extends InputSources, ServiceChoice, FollowOptions {
  readonly id?: string
}

export function runCommand(start: Start): Command {
  return new Command('run')
    .summary('run a runbook and follow it')
    .description(
      'Runs a runbook, on this machine or on the workers of a Temporal server, and follows it to its end. Everything that can be checked is checked first.',
    )
    .argument('<runbook>', runbookArgument)
    .addOption(inputOption())
    .addOption(inputsFileOption())
    .addOption(connectionOption())
    .option('--sandbox', 'start a sandbox for this run and use it (embedded engine)')
    .addOption(allowOutsideOption())
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(runOutputOption())
    .addOption(revealOption())
    .addOption(quietOption())
    .option('--id <key>', 'start or join: the same key never starts a second run')
    .addOption(yesOption())
    .addHelpText('after', runHelp)
    .action((runbook: string, options: RunOptions) =>
      start(async (context) => {
        const { run } = await import('../run/index.ts')
        return run(context, runbook, options)
      }),
    )
}

const runHelp = `${examples([
  'opsbook run runbooks/hello.yaml --sandbox',
  'opsbook run runbooks/look.yaml --input "hosts=[web-01, disk-01]"',
  'opsbook run look --inputs-file inputs.yaml --output json > result.json',
  'opsbook run look --input "hosts=[web-01]" --id ticket-4711',
])}

Ctrl-C once stops at the next safe point; what is done stays done, and "opsbook resume" goes on. Twice leaves at once.
On Temporal the workers carry the run out, and Ctrl-C only ends looking on.
An approval is asked on the terminal. Without one the run waits for an answer, unless --yes gives it in advance.
JSON output is not masked, so that scripts can use what a run made; the app key is never part of it.`
