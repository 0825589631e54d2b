import { Option } from 'commander'
import type { Start } from '../shared/context.ts'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { byOption, commentOption, gather, runArgument, stepArgument } from '../shared/options.ts'

export const approveCommand: DefineCommand = (start) =>
  define(start, 'approve')
    .summary('approve a step that waits for approval')
    .description(
      'Approves a step that waits for approval (core/approve), from any terminal. The first answer counts, unless the step says who may answer.',
    )
    .withExamples([
      'opsbook approve latest publish',
      'opsbook approve run_20261120_231503_k3x9qd publish --comment "read it, fine"',
    ])

export const rejectCommand: DefineCommand = (start) =>
  define(start, 'reject')
    .summary('reject a step that waits for approval')
    .description(
      'Rejects a step that waits for approval (core/approve), from any terminal. One no is a no. By default the step fails with ApprovalRejected.',
    )
    .withExamples(['opsbook reject latest publish --comment "the numbers are wrong"'])

export const answerCommand: DefineCommand = (start) =>
  define(start, 'answer')
    .summary('give the values that a step asks for')
    .description(
      'Answers a step that asks for values (core/ask), from any terminal. The values are checked against the schema and the choices of the question.',
    )
    .addOption(
      new Option(
        '--set <name=value>',
        'one field: text is used as given, other types are read as YAML; repeatable',
      ).argParser(gather),
    )
    .addOption(new Option('--file <file>', 'fields as YAML or JSON; - reads stdin; --set takes precedence'))
    .withExamples([
      'opsbook answer latest which --set "hosts=[web-01, web-02]"',
      'opsbook answer latest which --file answer.yaml --comment "the others are drained"',
    ])

function define(start: Start, kind: 'approve' | 'reject' | 'answer'): OpsbookCommand {
  return new OpsbookCommand(kind)
    .argument('<run>', runArgument)
    .argument('<step>', stepArgument)
    .addOption(commentOption('a comment on the answer; recorded, and readable by the runbook'))
    .option(
      '--shown <word>',
      'answer exactly what "opsbook inbox" or a notification shows, or nothing; the word is printed there',
    )
    .addOption(byOption('answers'))
    .withLocation()
    .executes(start, async () => (await import('./index.ts')).answerStep, kind)
}
