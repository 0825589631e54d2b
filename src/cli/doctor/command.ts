import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { connectionOption } from '../shared/options.ts'

export const doctorCommand: DefineCommand = (start) =>
  new OpsbookCommand('doctor')
    .summary('check this machine and the connection, with advice')
    .description(
      'Checks the configuration, the data directory, secrets, connections, hooks, notifications and Temporal. It sends only reads.',
    )
    .addOption(connectionOption())
    .option('--sandbox', 'start a sandbox, and check the connection to it')
    .withLocation()
    .withExamples(['opsbook doctor', 'opsbook doctor --connection staging --output json'])
    .executes(start, async () => (await import('./index.ts')).doctor)
