import { Command, Option } from 'commander'
import type { Start } from '../context.ts'
import { examples, gather } from './examples.ts'
import { runbookArgument } from './run-argument.ts'

/** The flags of `run`, as the parser hands them over. */
export interface RunOptions {
  readonly input?: readonly string[]
  readonly inputsFile?: string
  readonly connection?: string
  readonly sandbox?: boolean
  readonly dataDir?: string
  readonly output: 'text' | 'json' | 'ndjson'
  readonly reveal?: boolean
  readonly quiet?: boolean
  readonly engine?: string
  readonly id?: string
  readonly yes?: boolean
}

export function runCommand(start: Start): Command {
  return new Command('run')
    .summary('run a runbook and follow it')
    .description(
      'Runs a runbook on this machine and follows it to its end. Everything that can be checked is checked first.',
    )
    .argument('<runbook>', runbookArgument)
    .option(
      '-i, --input <name=value>',
      'one input: a text as it stands, anything else as YAML; repeatable',
      gather,
    )
    .option('--inputs-file <file>', 'inputs as YAML or JSON; - reads stdin; --input goes before it')
    .option('--connection <name>', 'which connection of the configuration')
    .option('--sandbox', 'start a sandbox for this run and use it')
    .option('--data-dir <folder>', 'where the journal and the artifacts are kept')
    .addOption(
      new Option(
        '-o, --output <format>',
        'text: live view and report; json: one document at the end; ndjson: every event as a line',
      )
        .choices(['text', 'json', 'ndjson'])
        .default('text'),
    )
    .option('--reveal', 'show values that text output masks')
    .option('-q, --quiet', 'no progress on stderr')
    .option('--id <key>', 'start or join: the same key never starts a second run')
    .option('--yes', 'approve everything in advance')
    .addOption(new Option('--engine <name>').hideHelp())
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
An approval is asked on the terminal. Without one the run waits for an answer, unless --yes gives it in advance.
JSON output is not masked, so that scripts can use what a run made; the app key is never part of it.`
