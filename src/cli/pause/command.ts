import type { Start } from '../shared/context.ts'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { byOption, commentOption, runArgument } from '../shared/options.ts'

export const pauseCommand: DefineCommand = (start) =>
  define(start, 'pause')
    .summary('pause a run: no new calls')
    .description(
      'Pauses a run: calls in flight end, and no new calls are made until "opsbook unpause". Timeouts of the run stand still meanwhile.',
    )
    .withExamples(['opsbook pause latest', 'opsbook pause latest --comment "until the backup is done"'])

export const unpauseCommand: DefineCommand = (start) =>
  define(start, 'unpause')
    .summary('continue a paused run')
    .description('Continues a paused run.')
    .withExamples(['opsbook unpause latest'])

function define(start: Start, kind: 'pause' | 'unpause'): OpsbookCommand {
  return new OpsbookCommand(kind)
    .argument('<run>', runArgument)
    .addOption(commentOption('why; it is recorded'))
    .addOption(byOption('requests it'))
    .withLocation()
    .executes(start, async () => (await import('./index.ts')).pause, kind)
}
