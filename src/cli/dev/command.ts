import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { allowOutsideOption } from '../shared/options.ts'

export const devCommand: DefineCommand = (start) =>
  new OpsbookCommand('dev')
    .summary('start a Temporal server, a worker and a sandbox, to try things out')
    .description(
      'Starts a Temporal server with its web UI, a worker and a sandbox, until you stop it. The server program is found on the PATH or in the cache, or downloaded. If TEMPORAL_ADDRESS names a server, that one is used.',
    )
    .option('--fresh', 'delete the runs of earlier sessions first')
    .addOption(allowOutsideOption())
    .option('--data-dir <folder>', 'where artifacts and the database of the server are kept')
    .withExamples(
      ['opsbook dev', 'opsbook dev --fresh'],
      `The lines on stdout are settings for another terminal: with them, all other commands use this server.`,
    )
    .executes(start, async () => (await import('./index.ts')).dev)
