import { Command } from 'commander'
import type { Start } from '../context.ts'
import type { WhoFlags } from '../read-who.ts'
import { examples } from './examples.ts'
import {
  byOption,
  commentOption,
  dataDirOption,
  type EngineFlags,
  engineOption,
  type OutputFlags,
  outputOption,
} from './options.ts'
import { runArgument, stepArgument } from './run-argument.ts'

/** The flags of `approve` and `reject`, as the parser hands them over. */
export interface AnswerFlags extends WhoFlags, EngineFlags, OutputFlags {}

export function approveCommand(start: Start): Command {
  return define(start, 'approve')
    .summary('say yes to what a run asks')
    .description(
      'Answers a step that waits for a person (core/approve) with yes, from any terminal. The first answer counts.',
    )
    .addHelpText(
      'after',
      examples([
        'opsbook approve latest publish',
        'opsbook approve run_20261120_231503_k3x9qd publish --comment "read it, fine"',
      ]),
    )
}

export function rejectCommand(start: Start): Command {
  return define(start, 'reject')
    .summary('say no to what a run asks')
    .description(
      'Answers a step that waits for a person (core/approve) with no, from any terminal. The first answer counts; the step fails with ApprovalRejected unless it says otherwise.',
    )
    .addHelpText('after', examples(['opsbook reject latest publish --comment "the numbers are wrong"']))
}

function define(start: Start, kind: 'approve' | 'reject'): Command {
  return new Command(kind)
    .argument('<run>', runArgument)
    .argument('<step>', stepArgument)
    .addOption(commentOption('what else there is to say; the runbook can read it'))
    .addOption(byOption('answers'))
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .action((run: string, step: string, options: AnswerFlags) =>
      start(async (context) => {
        const { answerStep } = await import('../answer/index.ts')
        return answerStep(context, kind, { run, step }, options)
      }),
    )
}
