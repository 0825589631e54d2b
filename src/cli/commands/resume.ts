import { Command, Option } from 'commander'
import type { Start } from '../context.ts'
import { examples, gather } from './examples.ts'

/** The flags of `resume`, as the parser hands them over. */
export interface ResumeFlags {
  readonly connection?: string
  readonly sandbox?: boolean
  readonly dataDir?: string
  readonly output: 'text' | 'json' | 'ndjson'
  readonly reveal?: boolean
  readonly quiet?: boolean
  readonly yes?: boolean
  readonly fromCopy?: boolean
  readonly from?: string
  readonly runbook?: string
  readonly keep?: readonly string[]
  readonly repeat?: readonly string[]
  readonly skip?: readonly string[]
  readonly input?: readonly string[]
}

export function resumeCommand(start: Start): Command {
  return new Command('resume')
    .summary('go on with a run that was interrupted or failed')
    .description(
      'Goes on with a run: with its own plan and inputs, from where it stopped. What is done stays done; the steps that made it fail are tried again.',
    )
    .argument('<run>', 'its id, the beginning of it, the key it was started with, or "latest"')
    .option('--connection <name>', 'another connection than the one it was started with')
    .option('--sandbox', 'start a sandbox for this and use it; it knows nothing of what was made before')
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
    .option('--yes', 'approve everything in advance')
    .option('--from-copy', 'the data directory is a copy, and nothing was done in the original since')
    .addOption(new Option('--from <step>').hideHelp())
    .addOption(new Option('--runbook <file>').hideHelp())
    .addOption(new Option('--keep <step>').argParser(gather).hideHelp())
    .addOption(new Option('--repeat <step>').argParser(gather).hideHelp())
    .addOption(new Option('--skip <step>').argParser(gather).hideHelp())
    .addOption(new Option('-i, --input <name=value>').argParser(gather).hideHelp())
    .addHelpText(
      'after',
      `${examples(['opsbook resume latest', 'opsbook resume run_20261120_231503_k3x9qd --output json'])}

A run that needs a decision (exit code 4) is not resumed: first find out by hand what was done.`,
    )
    .action((run: string, options: ResumeFlags) =>
      start(async (context) => {
        const { resume } = await import('../resume/index.ts')
        return resume(context, run, options)
      }),
    )
}
