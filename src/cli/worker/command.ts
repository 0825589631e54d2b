import { Option } from 'commander'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { allowOutsideOption, connectionOption } from '../shared/options.ts'

export const workerCommand: DefineCommand = (start) =>
  new OpsbookCommand('worker')
    .summary('execute runs of a Temporal server')
    .description(
      'Executes the runs of a task queue, with the actions, connections and secrets of this configuration, until you stop it. Any number of workers can share a queue.',
    )
    .addOption(connectionOption('the connection for runs that name none'))
    .option('--sandbox', 'start a sandbox for this worker, and use it for that connection')
    .addOption(allowOutsideOption())
    .option('--data-dir <folder>', 'folder for artifacts, which all workers share')
    .addOption(
      new Option('--role <what>', 'what it executes: runs, their calls, or both')
        .choices(['both', 'runs', 'calls'])
        .default('both'),
    )
    .option('--listen <host:port>', 'address for /healthz, /readyz and /metrics')
    .option('--allow-host <name...>', 'host names that requests may use, besides IP addresses and localhost')
    .option('--deployment <name>', 'the worker deployment that this worker belongs to')
    .option('--build-id <id>', 'the version of the deployment')
    .option('--claim-queue', 'claim the task queue for this service if it belongs to another one and is idle')
    .withExamples(
      [
        'opsbook worker',
        'opsbook worker --listen 127.0.0.1:8081',
        'TEMPORAL_ADDRESS=temporal.example.com:7233 opsbook worker --connection production',
      ],
      `The server is that of TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and the TEMPORAL_TLS variables, or of
"temporal" in opsbook.yaml, which also names the task queue. SIGTERM and Ctrl-C stop it once its calls have ended.`,
    )
    .executes(start, async () => (await import('./index.ts')).worker)
