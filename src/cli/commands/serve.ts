import { Command, InvalidArgumentError } from 'commander'
import type { Start } from '../context.ts'
import type { ServiceChoice } from '../open-service.ts'
import { examples } from './examples.ts'
import {
  allowOutsideOption,
  connectionOption,
  dataDirOption,
  type EngineFlags,
  engineOption,
  type OutputFlags,
  outputOption,
} from './options.ts'
import { runbookArgument } from './run-argument.ts'

/** The flags of `serve`, as the parser hands them over. */
export interface ServeFlags extends ServiceChoice, EngineFlags, OutputFlags {
  readonly listen: string
  /** Where health and metrics are apart from the hooks. */
  readonly listenHealth?: string
  readonly allowHost?: readonly string[]
  readonly maxRuns: number
  /** A duration. */
  readonly grace: string
  /** Runs that were interrupted go on. */
  readonly continue: boolean
  /** So do those that a person stopped. */
  readonly continueAll?: boolean
}

export function serveCommand(start: Start): Command {
  return new Command('serve')
    .summary('start runs from events, until it is stopped')
    .description(
      'Takes the events that come to the hooks of opsbook.yaml, starts the runbooks whose triggers want them, and carries the runs out. What is answered with 202 is on disk.',
    )
    .argument('[runbook...]', `${runbookArgument}; left out: all of the runbooks folder here`)
    .option('--listen <host:port>', 'where it listens; port 0 picks a free one', '127.0.0.1:8687')
    .option(
      '--listen-health <host:port>',
      'where /healthz, /readyz and /metrics are; by default with the hooks, or at 127.0.0.1:8688 where others reach these',
    )
    .option('--allow-host <name...>', 'host names that requests may name, besides IP addresses and localhost')
    .option('--max-runs <number>', 'so many runs go on at once, the rest waits in order', readCount, 20)
    .option('--grace <duration>', 'how long a stop waits for writes under way', '10s')
    .option('--no-continue', 'leave runs alone that were interrupted before')
    .option('--continue-all', 'continue also runs that were stopped with Ctrl-C')
    .addOption(connectionOption('the connection of steps that name none'))
    .option('--sandbox', 'start a sandbox for it, and use it as every connection')
    .addOption(allowOutsideOption())
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${examples([
        'opsbook serve',
        'opsbook serve runbooks/diagnose-host.yaml --max-runs 5',
        'opsbook serve --listen 0.0.0.0:8687 --allow-host hooks.example.com --data-dir /var/lib/opsbook',
      ])}

Besides POST /hooks/NAME it answers /healthz, /readyz and /metrics. A hook without "auth" is served on this machine only.
Requests must name this server by an IP address, by localhost, by the name in --listen or by one of --allow-host.
SIGTERM or Ctrl-C: no more events are taken, runs stop where they can go on, and the next serve goes on with them.`,
    )
    .action((runbooks: string[], flags: ServeFlags) =>
      start(async (context) => {
        const { serve } = await import('../serve/index.ts')
        return serve(context, runbooks, flags)
      }),
    )
}

function readCount(given: string): number {
  const count = Number(given)
  if (/^\d{1,4}$/.test(given) && count > 0) return count
  throw new InvalidArgumentError('a whole number from 1 to 9999 is needed')
}
