import { Command, Option } from 'commander'
import type { Start } from '../context.ts'
import type { ServiceChoice } from '../open-service.ts'
import { examples } from './examples.ts'
import { allowOutsideOption, connectionOption, type DataDirFlags } from './options.ts'

/** The flags of `worker`, as the parser hands them over. */
export interface WorkerFlags extends ServiceChoice, DataDirFlags {
  readonly role: 'both' | 'runs' | 'calls'
  /** Host and port. */
  readonly listen?: string
  readonly allowHost?: readonly string[]
  readonly deployment?: string
  readonly buildId?: string
  readonly claimQueue?: boolean
}

export function workerCommand(start: Start): Command {
  return new Command('worker')
    .summary('carry out runs of a Temporal server')
    .description(
      'Carries out the runs of a task queue, with the actions, connections and secrets of this configuration, until it is stopped. Any number of workers can share a queue.',
    )
    .addOption(connectionOption('the connection of runs that name none'))
    .option('--sandbox', 'start a sandbox for this worker, and use it as that connection')
    .addOption(allowOutsideOption())
    .option('--data-dir <folder>', 'where artifacts are kept: a folder that all workers share')
    .addOption(
      new Option('--role <what>', 'what it takes: the runs themselves, the calls they make, or both')
        .choices(['both', 'runs', 'calls'])
        .default('both'),
    )
    .option('--listen <host:port>', 'where it tells how it is: /healthz, /readyz and /metrics')
    .option('--allow-host <name...>', 'host names that requests may name, besides IP addresses and localhost')
    .option('--deployment <name>', 'the deployment that the code of this worker is a version of')
    .option('--build-id <id>', 'which version of it')
    .option(
      '--claim-queue',
      'give the task queue to this worker, where it belongs to another service and is idle',
    )
    .addHelpText(
      'after',
      `${examples(['opsbook worker', 'opsbook worker --listen 127.0.0.1:8081', 'TEMPORAL_ADDRESS=temporal.example.com:7233 opsbook worker --connection production'])}

The server is that of TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and the TEMPORAL_TLS variables, or of
"temporal" in opsbook.yaml, which also names the task queue. SIGTERM and Ctrl-C end it once its calls have ended.`,
    )
    .action((options: WorkerFlags) =>
      start(async (context) => {
        const { worker } = await import('../worker/index.ts')
        return worker(context, options)
      }),
    )
}
