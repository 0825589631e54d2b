import { Command, Option } from 'commander'
import type { Decision } from '../../engine/embedded/decision-rows.ts'
import type { Start } from '../context.ts'
import type { ServiceChoice } from '../open-service.ts'
import type { WhoFlags } from '../read-who.ts'
import type { FollowOptions } from '../run/follow-run.ts'
import { examples } from './examples.ts'
import {
  byOption,
  commentOption,
  connectionOption,
  dataDirOption,
  engineOption,
  quietOption,
  revealOption,
  runOutputOption,
  yesOption,
} from './options.ts'
import { runArgument, stepArgument } from './run-argument.ts'

/** The flags of `decide`, as the parser hands them over. */
export interface DecideFlags extends WhoFlags, ServiceChoice, FollowOptions {
  readonly as: Decision
  readonly outputs?: string
  /** False with `--no-resume`. */
  readonly resume: boolean
}

export function decideCommand(start: Start): Command {
  return new Command('decide')
    .summary('say what became of a write whose answer was lost')
    .description(
      'Settles a step whose outcome nobody knows, once you have found out what became of it; then the run goes on.',
    )
    .argument('<run>', runArgument)
    .argument('<step>', stepArgument)
    .addOption(
      new Option(
        '--as <decision>',
        'succeeded: it was carried out; failed: it was not, and the step fails; retry: call it again, whatever became of it',
      )
        .choices(['succeeded', 'failed', 'retry'])
        .makeOptionMandatory(),
    )
    .option(
      '--outputs <json>',
      'with "succeeded": what the call would have answered, for the steps that read it',
    )
    .addOption(commentOption('how you know; it is recorded'))
    .addOption(byOption('decides'))
    .option('--no-resume', 'only record it')
    .addOption(connectionOption('go on with another connection than the one it was started with'))
    .option('--sandbox', 'go on with a sandbox; it knows nothing of what was made before')
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(runOutputOption('of the run that goes on, as for "resume"'))
    .addOption(revealOption())
    .addOption(quietOption())
    .addOption(yesOption())
    .addHelpText(
      'after',
      `${examples([
        'opsbook show latest',
        `opsbook decide latest create --as succeeded --outputs '{"application_id": "app_1"}'`,
        'opsbook decide latest create --as failed --comment "no such application in the console"',
      ])}

"opsbook show RUN" says what was sent, when, and how to find out. "retry" makes a second one where the first one was
made after all.`,
    )
    .action((run: string, step: string, options: DecideFlags) =>
      start(async (context) => {
        const { decide } = await import('../decide/index.ts')
        return decide(context, { run, step }, options)
      }),
    )
}
