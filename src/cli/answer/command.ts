import { Command } from 'commander'
import type { Start } from '../shared/context.ts'
import {
  byOption,
  commentOption,
  dataDirOption,
  engineOption,
  examples,
  outputOption,
  runArgument,
  stepArgument,
} from '../shared/options.ts'
import type { AnswerFlags } from './index.ts'

export function approveCommand(start: Start): Command {
  return define(start, 'approve')
    .summary('approve a step that waits for approval')
    .description(
      'Approves a step that waits for approval (core/approve), from any terminal. The first answer counts.',
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
    .summary('reject a step that waits for approval')
    .description(
      'Rejects a step that waits for approval (core/approve), from any terminal. The first answer counts. By default the step fails with ApprovalRejected.',
    )
    .addHelpText('after', examples(['opsbook reject latest publish --comment "the numbers are wrong"']))
}

function define(start: Start, kind: 'approve' | 'reject'): Command {
  return new Command(kind)
    .argument('<run>', runArgument)
    .argument('<step>', stepArgument)
    .addOption(commentOption('a comment on the answer; recorded, and readable by the runbook'))
    .option(
      '--all <shown>',
      'answer all questions of the step that "opsbook inbox" shows as one, or none; the word is printed there',
    )
    .addOption(byOption('answers'))
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .action((run: string, step: string, options: AnswerFlags) =>
      start(async (context) => {
        const { answerStep } = await import('./index.ts')
        return answerStep(context, kind, { run, step }, options)
      }),
    )
}
