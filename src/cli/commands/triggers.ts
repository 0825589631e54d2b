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

/** The flags of `triggers pause` and `triggers unpause`, as the parser hands them over. */
export interface TriggersFlags extends WhoFlags, EngineFlags, OutputFlags {}

/** The flags of `triggers` alone. */
export interface TriggersStateFlags extends EngineFlags, OutputFlags {}

export function triggersCommand(start: Start): Command {
  return place(new Command('triggers'))
    .summary('stop all starting by events and schedules, and allow it again')
    .description(
      'The one switch for everything that starts by itself. Events are recorded all the same. Alone it says how the switch stands.',
    )
    .action((flags: TriggersStateFlags) =>
      start(async (context) => {
        const { showTriggers } = await import('../triggers/show-triggers.ts')
        return showTriggers(context, flags)
      }),
    )
    .addCommand(
      define(start, 'pause')
        .summary('start nothing by itself any more')
        .description('Stops all starting by events and schedules at once. Runs that go on are not touched.')
        .addHelpText('after', examples(['opsbook triggers pause --comment "maintenance until 14:00"'])),
    )
    .addCommand(
      define(start, 'unpause')
        .summary('let events and schedules start runs again')
        .description(
          'Allows starting by events and schedules. What came in meanwhile starts nothing afterwards.',
        )
        .addHelpText('after', examples(['opsbook triggers unpause'])),
    )
    .addHelpText(
      'after',
      examples(['opsbook triggers', 'opsbook triggers pause', 'opsbook triggers unpause']),
    )
}

function define(start: Start, kind: 'pause' | 'unpause'): Command {
  return place(new Command(kind))
    .addOption(commentOption('why; it is recorded'))
    .addOption(byOption('wants it'))
    .action((_: unknown, command: Command) =>
      start(async (context) => {
        const { setTriggers } = await import('../triggers/index.ts')
        return setTriggers(context, kind, command.optsWithGlobals<TriggersFlags>())
      }),
    )
}

function place(command: Command): Command {
  return command.addOption(dataDirOption()).addOption(engineOption()).addOption(outputOption())
}
