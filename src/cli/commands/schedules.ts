import { Command } from 'commander'
import type { Start } from '../context.ts'
import type { WhoFlags } from '../read-who.ts'
import { examples } from './examples.ts'
import {
  byOption,
  commentOption,
  connectionOption,
  dataDirOption,
  type EngineFlags,
  engineOption,
  type OutputFlags,
  outputOption,
} from './options.ts'
import { runbookArgument } from './run-argument.ts'

/** The flags of `schedules`, as the parser hands them over. */
export interface SchedulesFlags extends EngineFlags, OutputFlags {}

/** The flags of `schedules apply`. */
export interface ApplyFlags extends SchedulesFlags {
  readonly connection?: string
  readonly dryRun?: boolean
}

/** The flags of those that change one schedule. */
export interface ChangeFlags extends SchedulesFlags, WhoFlags {}

/** What can be done with one schedule. */
export type ScheduleVerb = 'trigger' | 'pause' | 'unpause' | 'delete'

export function schedulesCommand(start: Start): Command {
  return place(new Command('schedules'))
    .summary('what runs by the clock: next times, last runs, what was missed')
    .description(
      'Lists the schedules of runbooks: how each stands, its next five times, and what came of the last ones.',
    )
    .addHelpText(
      'after',
      `${examples([
        'opsbook schedules',
        'opsbook schedules apply --engine temporal --dry-run',
        'opsbook schedules pause morning_diagnosis --comment "until the move is done"',
      ])}

On the embedded engine "opsbook serve" starts them; on a Temporal server the server does, once they are applied.`,
    )
    .action((flags: SchedulesFlags) =>
      start(async (context) => {
        const { schedules } = await import('../schedules/index.ts')
        return schedules(context, flags)
      }),
    )
    .addCommand(apply(start))
    .addCommand(
      change(start, 'trigger')
        .summary('start a run of it now')
        .description('Starts a run now, with the inputs of the schedule, also where it is paused.')
        .addHelpText('after', examples(['opsbook schedules trigger morning_diagnosis'])),
    )
    .addCommand(
      change(start, 'pause')
        .summary('let it start nothing')
        .description(
          'Lets a schedule start nothing until it is unpaused. What falls into the pause is not caught up.',
        )
        .addOption(commentOption('why; it is recorded'))
        .addHelpText(
          'after',
          examples(['opsbook schedules pause morning_diagnosis --comment "until the move is done"']),
        ),
    )
    .addCommand(
      change(start, 'unpause')
        .summary('let it start again')
        .description('Lets a paused schedule start again, from its next time on.')
        .addHelpText('after', examples(['opsbook schedules unpause morning_diagnosis'])),
    )
    .addCommand(
      change(start, 'delete')
        .summary('forget it')
        .description(
          'Forgets a schedule and what is on record of its times. One that a runbook still names comes back with the next "serve" or "apply".',
        )
        .addHelpText('after', examples(['opsbook schedules delete morning_diagnosis.2'])),
    )
}

function apply(start: Start): Command {
  return place(new Command('apply'))
    .summary('make a Temporal server have what the runbooks say')
    .description(
      'Creates, changes and removes the schedules of a task queue on a Temporal server, so that they are those of the runbooks. Schedules of others are left alone; one that is paused stays paused.',
    )
    .argument('[runbook...]', `${runbookArgument}; left out: all of the runbooks folder here`)
    .option('--dry-run', 'say what would be done, and do nothing')
    .addOption(connectionOption('which connection of the configuration of the workers'))
    .addHelpText(
      'after',
      `${examples([
        'opsbook schedules apply --engine temporal --dry-run',
        'opsbook schedules apply --engine temporal runbooks/morning-diagnosis.yaml',
      ])}

Without arguments schedules go that no runbook names any more; with runbooks only those of these runbooks.

Exit codes: 0 done · 1 some schedule could not be applied · 2 invalid runbook · 5 no server`,
    )
    .action((runbooks: string[], _: unknown, command: Command) =>
      start(async (context) => {
        const { applyRunbooks } = await import('../schedules/apply.ts')
        return applyRunbooks(context, runbooks, command.optsWithGlobals<ApplyFlags>())
      }),
    )
}

function change(start: Start, verb: ScheduleVerb): Command {
  return place(new Command(verb))
    .argument('<schedule>', 'the runbook, by its name or file; its second schedule is NAME.2')
    .addOption(byOption('wants it'))
    .action((id: string, _: unknown, command: Command) =>
      start(async (context) => {
        const { changeSchedule } = await import('../schedules/change.ts')
        return changeSchedule(context, verb, id, command.optsWithGlobals<ChangeFlags>())
      }),
    )
}

/** Where the schedules are, before or after the word for what is done. */
function place(command: Command): Command {
  return command.addOption(dataDirOption()).addOption(engineOption()).addOption(outputOption())
}
