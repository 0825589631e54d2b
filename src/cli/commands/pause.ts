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
import { runArgument } from './run-argument.ts'

/** The flags of `pause` and `unpause`, as the parser hands them over. */
export interface PauseFlags extends WhoFlags, EngineFlags, OutputFlags {}

export function pauseCommand(start: Start): Command {
  return define(start, 'pause')
    .summary('let a run start nothing new for a while')
    .description(
      'Pauses a run: what is in flight ends, nothing new is called until "opsbook unpause". The time does not count against its timeouts.',
    )
    .addHelpText(
      'after',
      examples(['opsbook pause latest', 'opsbook pause latest --comment "until the backup is done"']),
    )
}

export function unpauseCommand(start: Start): Command {
  return define(start, 'unpause')
    .summary('let a paused run go on')
    .description('Lets a run go on that was paused.')
    .addHelpText('after', examples(['opsbook unpause latest']))
}

function define(start: Start, kind: 'pause' | 'unpause'): Command {
  return new Command(kind)
    .argument('<run>', runArgument)
    .addOption(commentOption('why; it is recorded'))
    .addOption(byOption('wants it'))
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .action((run: string, options: PauseFlags) =>
      start(async (context) => {
        const { pause } = await import('../pause/index.ts')
        return pause(context, kind, run, options)
      }),
    )
}
