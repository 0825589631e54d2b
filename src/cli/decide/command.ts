import { Option } from 'commander'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import {
  byOption,
  commentOption,
  connectionOption,
  quietOption,
  revealOption,
  runArgument,
  runOutputOption,
  stepArgument,
  yesOption,
} from '../shared/options.ts'

export const decideCommand: DefineCommand = (start) =>
  new OpsbookCommand('decide')
    .summary('resolve a call with an unknown outcome')
    .description(
      'Resolves a call with an unknown outcome, once you have found out whether it was executed. Then the run resumes.',
    )
    .argument('<run>', runArgument)
    .argument('<step>', stepArgument)
    .addOption(
      new Option(
        '--as <decision>',
        'succeeded: it was executed; failed: it was not, and the step fails; retry: call it again in any case',
      )
        .choices(['succeeded', 'failed', 'retry'])
        .makeOptionMandatory(),
    )
    .option('--outputs <json>', 'with "succeeded": the answer of the call, for the steps that read it')
    .addOption(commentOption('how you know; it is recorded'))
    .addOption(byOption('resolves it'))
    .option('--replace', 'replace an earlier decision that the run has not used')
    .option('--no-resume', 'record the decision without resuming the run')
    .addOption(connectionOption('resume with this connection instead of the one it was started with'))
    .option('--sandbox', 'resume with a new sandbox, which holds nothing that the run created before')
    .withLocation(runOutputOption('the output of the resumed run, as for "resume"'))
    .addOption(revealOption())
    .addOption(quietOption())
    .addOption(yesOption())
    .withExamples(
      [
        'opsbook show latest',
        `opsbook decide latest create --as succeeded --outputs '{"application_id": "app_1"}'`,
        'opsbook decide latest create --as failed --comment "no such application in the console"',
      ],
      `"opsbook show RUN" shows what was sent, when, and how to find out. "retry" creates a duplicate if the first call was
executed after all.`,
    )
    .executes(start, async () => (await import('./index.ts')).decide)
