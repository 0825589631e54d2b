import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { limitOption } from '../shared/options.ts'

export const inboxCommand: DefineCommand = (start) =>
  new OpsbookCommand('inbox')
    .summary('list what waits for a person: open questions and unknown outcomes')
    .description(
      'Lists every open question and every unresolved outcome of the data directory, or of the task queue on Temporal, the earliest deadline first. The same question of many items of a loop is one entry. Each entry ends with the commands that answer it.',
    )
    .addOption(limitOption())
    .withLocation()
    .withExamples(['opsbook inbox', 'opsbook inbox --engine temporal --output json'])
    .executes(start, async () => (await import('./index.ts')).inbox)
