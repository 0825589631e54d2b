import { Command } from 'commander'
import type { Start } from '../context.ts'
import { examples } from './examples.ts'
import { allowOutsideOption, type DataDirFlags } from './options.ts'

/** The flags of `dev`, as the parser hands them over. */
export interface DevFlags extends DataDirFlags {
  readonly fresh?: boolean
  readonly allowOutside?: boolean
}

export function devCommand(start: Start): Command {
  return new Command('dev')
    .summary('a Temporal server, a worker and a sandbox, for trying things')
    .description(
      'Starts a Temporal server with its web UI, a worker and a sandbox together, until it is stopped. The server is found, downloaded or built; one that TEMPORAL_ADDRESS names is used as it is.',
    )
    .option('--fresh', 'forget the runs of before')
    .addOption(allowOutsideOption())
    .option('--data-dir <folder>', 'where artifacts, and what the server knows, are kept')
    .addHelpText(
      'after',
      `${examples(['opsbook dev', 'opsbook dev --fresh'])}

The lines on stdout are the settings for another terminal, where all other commands then use this server.`,
    )
    .action((options: DevFlags) =>
      start(async (context) => {
        const { dev } = await import('../dev/index.ts')
        return dev(context, options)
      }),
    )
}
