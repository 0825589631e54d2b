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
} from '../shared/options.ts'
import type { PauseFlags } from './index.ts'

export function pauseCommand(start: Start): Command {
  return define(start, 'pause')
    .summary('pause a run: no new calls')
    .description(
      'Pauses a run: calls in flight end, and no new calls are made until "opsbook unpause". Timeouts of the run stand still meanwhile.',
    )
    .addHelpText(
      'after',
      examples(['opsbook pause latest', 'opsbook pause latest --comment "until the backup is done"']),
    )
}

export function unpauseCommand(start: Start): Command {
  return define(start, 'unpause')
    .summary('continue a paused run')
    .description('Continues a paused run.')
    .addHelpText('after', examples(['opsbook unpause latest']))
}

function define(start: Start, kind: 'pause' | 'unpause'): Command {
  return new Command(kind)
    .argument('<run>', runArgument)
    .addOption(commentOption('why; it is recorded'))
    .addOption(byOption('requests it'))
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .action((run: string, options: PauseFlags) =>
      start(async (context) => {
        const { pause } = await import('./index.ts')
        return pause(context, kind, run, options)
      }),
    )
}
