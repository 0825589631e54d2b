import type { Start } from '../shared/context.ts'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { byOption, commentOption } from '../shared/options.ts'

export const triggersCommand: DefineCommand = (start) =>
  new OpsbookCommand('triggers')
    .withLocation()
    .summary('pause or resume all automatic starts')
    .description(
      'Pauses or resumes all automatic starts. Events are still recorded. Without a subcommand, prints the current state.',
    )
    .executes(start, async () => (await import('./index.ts')).showTriggers)
    .addCommand(
      define(start, 'pause')
        .summary('pause all automatic starts')
        .description('Pauses all starts by events and schedules. Open runs are not affected.')
        .withExamples(['opsbook triggers pause --comment "maintenance until 14:00"']),
    )
    .addCommand(
      define(start, 'unpause')
        .summary('resume automatic starts')
        .description(
          'Resumes starts by events and schedules. Events that arrived during the pause do not start runs later.',
        )
        .withExamples(['opsbook triggers unpause']),
    )
    .withExamples(['opsbook triggers', 'opsbook triggers pause', 'opsbook triggers unpause'])

function define(start: Start, kind: 'pause' | 'unpause'): OpsbookCommand {
  return new OpsbookCommand(kind)
    .withLocation()
    .addOption(commentOption('why; it is recorded'))
    .addOption(byOption('requests it'))
    .executes(start, async () => (await import('./index.ts')).changeTriggers, kind)
}
