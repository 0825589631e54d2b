import type { ScheduleVerb } from '../../acts/schedules/index.ts'
import type { Start } from '../shared/context.ts'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { byOption, commentOption, connectionOption, runbookArgument } from '../shared/options.ts'

export const schedulesCommand: DefineCommand = (start) =>
  new OpsbookCommand('schedules')
    .withLocation()
    .summary('list schedules: next times, last runs, missed times')
    .description(
      'Lists the schedules of runbooks: the state of each, its next five times, and the results of the last ones.',
    )
    .withExamples(
      [
        'opsbook schedules',
        'opsbook schedules apply --engine temporal --dry-run',
        'opsbook schedules pause morning_diagnosis --comment "until the move is done"',
      ],
      `On the embedded engine "opsbook serve" executes schedules. On Temporal the server does, once you have applied them.`,
    )
    .executes(start, async () => (await import('./index.ts')).schedules)
    .addCommand(apply(start))
    .addCommand(
      change(start, 'trigger')
        .summary('start a run now')
        .description('Starts a run now with the inputs of the schedule, also if the schedule is paused.')
        .withExamples(['opsbook schedules trigger morning_diagnosis']),
    )
    .addCommand(
      change(start, 'pause')
        .summary('pause a schedule')
        .description('Pauses a schedule until you unpause it. Times during the pause are not caught up.')
        .addOption(commentOption('why; it is recorded'))
        .withExamples(['opsbook schedules pause morning_diagnosis --comment "until the move is done"']),
    )
    .addCommand(
      change(start, 'unpause')
        .summary('unpause a schedule')
        .description('Unpauses a schedule, from its next time on.')
        .withExamples(['opsbook schedules unpause morning_diagnosis']),
    )
    .addCommand(
      change(start, 'delete')
        .summary('delete a schedule')
        .description(
          'Deletes a schedule and the record of its times. If a runbook still has it, the next "serve" or "apply" creates it again.',
        )
        .withExamples(['opsbook schedules delete morning_diagnosis.2']),
    )

function apply(start: Start): OpsbookCommand {
  return new OpsbookCommand('apply')
    .withLocation()
    .summary('apply the schedules of runbooks to a Temporal server')
    .description(
      'Creates, changes and deletes the schedules of a task queue on a Temporal server, so that they match the runbooks. Other schedules are not touched, and a paused schedule stays paused.',
    )
    .argument('[runbook...]', `${runbookArgument} (default: all in the runbooks folder here)`)
    .option('--dry-run', 'show what would change, and change nothing')
    .addOption(connectionOption('the connection, by its name in the configuration of the workers'))
    .withExamples(
      [
        'opsbook schedules apply --engine temporal --dry-run',
        'opsbook schedules apply --engine temporal runbooks/morning-diagnosis.yaml',
      ],
      `Without arguments, schedules that no runbook has any more are deleted. With runbooks, only their schedules change.

Exit codes: 0 done · 1 a schedule could not be applied · 2 invalid runbook · 5 no server`,
    )
    .executes(start, async () => (await import('./apply.ts')).applyRunbooks)
}

function change(start: Start, verb: ScheduleVerb): OpsbookCommand {
  return new OpsbookCommand(verb)
    .withLocation()
    .argument('<schedule>', 'the name or file of the runbook; NAME.2 is its second schedule')
    .addOption(byOption('requests it'))
    .executes(start, async () => (await import('./change.ts')).changeNamedSchedule, verb)
}
