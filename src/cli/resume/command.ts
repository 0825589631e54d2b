import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import {
  allowOutsideOption,
  connectionOption,
  gather,
  quietOption,
  revealOption,
  runArgument,
  runOutputOption,
  yesOption,
} from '../shared/options.ts'

export const resumeCommand: DefineCommand = (start) =>
  new OpsbookCommand('resume')
    .summary('resume a run that was interrupted or failed')
    .description(
      'Resumes a run with its own plan and inputs, from where it stopped. Completed steps are not repeated; the steps that made it fail are tried again. A `finally` runs at each ending, and creates again what you do not keep with --keep.',
    )
    .argument('<run>', runArgument)
    .addOption(connectionOption('use this connection instead of the one it was started with'))
    .option('--sandbox', 'start a new sandbox and use it; it holds nothing that the run created before')
    .addOption(allowOutsideOption())
    .withLocation(runOutputOption())
    .addOption(revealOption())
    .addOption(quietOption())
    .addOption(yesOption())
    .option(
      '--from-copy',
      'confirm that the data directory is a copy, and that the original was not used since',
    )
    .option('--runbook <file>', 'resume with this version of the runbook')
    .option(
      '-i, --input <name=value>',
      'a new value for one input, in the format of "run"; repeatable',
      gather,
    )
    .option('--from <step>', 'execute this step and all steps after it again')
    .option('--repeat <step>', 'execute this step again; repeatable', gather)
    .option('--keep <step>', 'keep the results of this step, also with changed arguments; repeatable', gather)
    .option('--skip <step>', 'skip this step; repeatable', gather)
    .option('--dry-run', 'show what would happen to each step, and change nothing')
    .withExamples(
      [
        'opsbook resume latest',
        'opsbook resume run_20261120_231503_k3x9qd --output json',
        'opsbook resume latest --runbook runbooks/rollout.yaml --dry-run',
        'opsbook resume latest --input "hosts=[web-01, web-02]"',
        'opsbook resume latest --runbook runbooks/rollout.yaml --repeat application',
        'opsbook resume latest --skip notify',
      ],
      `If you change the runbook or inputs, the command first shows what happens to each step. A completed step is reused if it
still has the same action and arguments; in a loop the position of an item does not matter. A read with other arguments
is repeated. For a write with other arguments you must choose: --repeat executes it again, --keep keeps its result.
Until you choose, nothing is sent. The clean-up of a failed run ("finally") runs at each ending, and makes its creates
again: --keep keeps their results, at later endings too, until you say something else. --dry-run shows each call that a
resume makes, also without changes. STEP is the id of a step, or its path if several steps
share the id: hosts/look for all items of a loop, hosts[3]/look for one.

A run with an unknown outcome (exit code 4) cannot be resumed: resolve it first with "opsbook decide".

Exit codes: those of "opsbook run" · 2 also if you must choose for a step, or a change is invalid: nothing was changed`,
    )
    .executes(start, async () => (await import('./index.ts')).resume)
