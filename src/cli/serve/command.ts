import { InvalidArgumentError } from 'commander'
import { usualAddresses } from '../../project/index.ts'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { allowOutsideOption, connectionOption, runbookArgument } from '../shared/options.ts'

export const serveCommand: DefineCommand = (start) =>
  new OpsbookCommand('serve')
    .summary('start runs from events and schedules, until you stop it')
    .description(
      'Receives events on the hooks of opsbook.yaml, and starts and executes the runs that triggers and schedules call for. An event is on disk before it is answered with 200.',
    )
    .argument('[runbook...]', `${runbookArgument} (default: all in the runbooks folder here)`)
    .option('--listen <host:port>', 'address to listen on; port 0 picks a free port', usualAddresses.serve)
    .option(
      '--listen-health <host:port>',
      `address for /healthz, /readyz and /metrics (default: that of the hooks, or ${usualAddresses.health} if other machines can reach the hooks)`,
    )
    .option('--allow-host <name...>', 'host names that requests may use, besides IP addresses and localhost')
    .option(
      '--max-runs <number>',
      'most runs that execute at the same time; others wait in order',
      readCount,
      20,
    )
    .option('--grace <duration>', 'how long a stop waits for writes in flight', '10s')
    .option('--no-continue', 'do not continue interrupted runs')
    .option('--continue-all', 'continue also runs that a user stopped')
    .addOption(connectionOption('the connection for steps that name none'))
    .option('--sandbox', 'start a sandbox, and use it for all connections')
    .addOption(allowOutsideOption())
    .withLocation()
    .withExamples(
      [
        'opsbook serve',
        'opsbook serve runbooks/diagnose-host.yaml --max-runs 5',
        'opsbook serve --listen 0.0.0.0:8687 --allow-host hooks.example.com --data-dir /var/lib/opsbook',
      ],
      `It serves POST /hooks/NAME, /healthz, /readyz and /metrics. A hook without "auth" can be reached from this machine only.
Requests must use an IP address, localhost, the host of --listen or one of --allow-host.
On SIGTERM or Ctrl-C, "serve" refuses events and stops runs at a safe point. The next "serve" continues them.`,
    )
    .executes(start, async () => (await import('./index.ts')).serve)

function readCount(given: string): number {
  const count = Number(given)
  if (/^\d{1,4}$/.test(given) && count > 0) return count
  throw new InvalidArgumentError('It takes a whole number from 1 to 9999.')
}
