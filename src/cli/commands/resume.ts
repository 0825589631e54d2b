import { Command } from 'commander'
import type { Start } from '../context.ts'
import type { InputSources } from '../inputs/read-inputs.ts'
import type { ServiceChoice } from '../open-service.ts'
import type { FollowOptions } from '../run/follow-run.ts'
import { examples, gather } from './examples.ts'
import {
  allowOutsideOption,
  connectionOption,
  dataDirOption,
  engineOption,
  quietOption,
  revealOption,
  runOutputOption,
  yesOption,
} from './options.ts'
import { runArgument } from './run-argument.ts'

/** The flags of `resume`, as the parser hands them over. */
export interface ResumeFlags extends ServiceChoice, FollowOptions, Pick<InputSources, 'input'> {
  readonly fromCopy?: boolean
  readonly from?: string
  readonly dryRun?: boolean
  readonly runbook?: string
  readonly keep?: readonly string[]
  readonly repeat?: readonly string[]
  readonly skip?: readonly string[]
}

export function resumeCommand(start: Start): Command {
  return new Command('resume')
    .summary('go on with a run that was interrupted or failed')
    .description(
      'Goes on with a run: with its own plan and inputs, from where it stopped. What is done stays done; the steps that made it fail are tried again.',
    )
    .argument('<run>', runArgument)
    .addOption(connectionOption('another connection than the one it was started with'))
    .option('--sandbox', 'start a sandbox for this and use it; it knows nothing of what was made before')
    .addOption(allowOutsideOption())
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(runOutputOption())
    .addOption(revealOption())
    .addOption(quietOption())
    .addOption(yesOption())
    .option('--from-copy', 'the data directory is a copy, and nothing was done in the original since')
    .option('--runbook <file>', 'go on with this version of the runbook')
    .option('-i, --input <name=value>', 'another value for one input, read as run does; repeatable', gather)
    .option('--from <step>', 'do this step and all after it anew')
    .option('--repeat <step>', 'do this step again; repeatable', gather)
    .option('--keep <step>', 'what this step did counts, whatever it asks for now; repeatable', gather)
    .option('--skip <step>', 'leave this step out; repeatable', gather)
    .option('--dry-run', 'only show what would become of each step')
    .addHelpText('after', resumeHelp)
    .action((run: string, options: ResumeFlags) =>
      start(async (context) => {
        const { resume } = await import('../resume/index.ts')
        return resume(context, run, options)
      }),
    )
}

const resumeHelp = `${examples([
  'opsbook resume latest',
  'opsbook resume run_20261120_231503_k3x9qd --output json',
  'opsbook resume latest --runbook runbooks/rollout.yaml --dry-run',
  'opsbook resume latest --input "hosts=[web-01, web-02]"',
  'opsbook resume latest --runbook runbooks/rollout.yaml --repeat application',
  'opsbook resume latest --skip notify',
])}

With a change, what would become of each step is shown first. A step that was done counts if it still does the same: the
same action with the same arguments. In a loop the place of an item does not matter. A read with other arguments is done
again. A write with other arguments is done again only with --repeat, and counts as done only with --keep: without a word
nothing is sent, and nothing is created twice. STEP is the id of a step, or its path where several share it:
hosts/look for all items of a loop, hosts[3]/look for one.

A run that needs a decision (exit code 4) is not resumed: first find out by hand what was done.

Exit codes: those of "opsbook run" · 2 also where a step needs a word, or a change does not fit: nothing was changed`
