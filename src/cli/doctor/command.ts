import type { Command } from 'commander'
import type { Start } from '../shared/context.ts'
import { OpsbookCommand } from '../shared/opsbook-command.ts'
import { connectionOption } from '../shared/options.ts'

export function doctorCommand(start: Start): Command {
  return new OpsbookCommand('doctor')
    .summary('check this machine and the connection, with advice')
    .description(
      'Checks the configuration, the data directory, secrets, connections, hooks, notifications and Temporal. It sends only reads.',
    )
    .addOption(connectionOption())
    .option('--sandbox', 'start a sandbox, and check the connection to it')
    .withLocation()
    .withExamples(['opsbook doctor', 'opsbook doctor --connection staging --output json'])
    .executes(start, async () => (await import('./index.ts')).doctor)
}
