import { Command } from 'commander'
import type { Start } from '../shared/context.ts'
import {
  byOption,
  commentOption,
  dataDirOption,
  engineOption,
  examples,
  outputOption,
} from '../shared/options.ts'
import type { TriggersFlags, TriggersStateFlags } from './index.ts'

export function triggersCommand(start: Start): Command {
  return withLocation(new Command('triggers'))
    .summary('pause or resume all automatic starts')
    .description(
      'Pauses or resumes all automatic starts. Events are still recorded. Without a subcommand, prints the current state.',
    )
    .action((flags: TriggersStateFlags) =>
      start(async (context) => {
        const { showTriggers } = await import('./index.ts')
        return showTriggers(context, flags)
      }),
    )
    .addCommand(
      define(start, 'pause')
        .summary('pause all automatic starts')
        .description('Pauses all starts by events and schedules. Open runs are not affected.')
        .addHelpText('after', examples(['opsbook triggers pause --comment "maintenance until 14:00"'])),
    )
    .addCommand(
      define(start, 'unpause')
        .summary('resume automatic starts')
        .description(
          'Resumes starts by events and schedules. Events that arrived during the pause do not start runs later.',
        )
        .addHelpText('after', examples(['opsbook triggers unpause'])),
    )
    .addHelpText(
      'after',
      examples(['opsbook triggers', 'opsbook triggers pause', 'opsbook triggers unpause']),
    )
}

function define(start: Start, kind: 'pause' | 'unpause'): Command {
  return withLocation(new Command(kind))
    .addOption(commentOption('why; it is recorded'))
    .addOption(byOption('requests it'))
    .action((_: unknown, command: Command) =>
      start(async (context) => {
        const { changeTriggers } = await import('./index.ts')
        return changeTriggers(context, kind, command.optsWithGlobals<TriggersFlags>())
      }),
    )
}

function withLocation(command: Command): Command {
  return command.addOption(dataDirOption()).addOption(engineOption()).addOption(outputOption())
}
