import type { Start } from '../shared/context.ts'
import { OpsbookCommand } from '../shared/opsbook-command.ts'
import { outputOption } from '../shared/options.ts'

export function temporalCommand(start: Start): OpsbookCommand {
  const setup = new OpsbookCommand('setup')
    .summary('register the search attributes of runs')
    .description('Registers the search attributes of runs in the namespace. Existing ones are not changed.')
    .addOption(outputOption())
    .executes(start, async () => (await import('./set-up.ts')).setUpTemporal)
  return new OpsbookCommand('temporal')
    .summary('prepare a namespace of a Temporal server')
    .description('Prepares a namespace of a Temporal server for runs.')
    .addCommand(setup)
    .withExamples(['opsbook temporal setup', 'opsbook doctor --engine temporal'])
}
