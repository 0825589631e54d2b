import { Command } from 'commander'
import type { Start } from '../shared/context.ts'
import { examples, gather, type OutputFlags, outputOption } from '../shared/options.ts'
import type { CodecServerFlags } from './codec-server/index.ts'

export function temporalCommand(start: Start): Command {
  const setup = new Command('setup')
    .summary('register the search attributes of runs')
    .description('Registers the search attributes of runs in the namespace. Existing ones are not changed.')
    .addOption(outputOption())
    .action((options: OutputFlags) =>
      start(async (context) => {
        const { setUpTemporal } = await import('./set-up.ts')
        return setUpTemporal(context, options)
      }),
    )
  return new Command('temporal')
    .summary('prepare a namespace of a Temporal server, or decode its payloads')
    .description('Prepares a namespace of a Temporal server for runs, or decodes its payloads.')
    .addCommand(setup)
    .addCommand(codecServerCommand(start))
    .addHelpText(
      'after',
      examples([
        'opsbook temporal setup',
        'opsbook doctor --engine temporal',
        'opsbook temporal codec-server',
      ]),
    )
}

export function codecServerCommand(start: Start): Command {
  return new Command('codec-server')
    .summary("decode payloads for Temporal's web UI and command line")
    .description(
      "Decodes what workers encrypt or compress, for Temporal's web UI and command line. Its keys are those of OPSBOOK_TEMPORAL_KEYS.",
    )
    .option('--listen <host:port>', 'address to listen on; port 0 picks a free port', '127.0.0.1:8089')
    .option(
      '--origin <url>',
      'a web UI that may read payloads, repeatable (default: the one of a development server, port 8233)',
      gather,
    )
    .addHelpText(
      'after',
      `${examples([
        'opsbook temporal codec-server',
        'opsbook temporal codec-server --origin https://temporal.example.com',
        'temporal workflow show --workflow-id RUN --detailed --codec-endpoint http://127.0.0.1:8089',
        'OPSBOOK_CODEC_TOKEN=... opsbook temporal codec-server --listen 0.0.0.0:8089',
      ])}

In the web UI, enter http://127.0.0.1:8089 under "Configure Codec Server". The browser calls it.
An address that other machines can reach needs OPSBOOK_CODEC_TOKEN: each request must carry it as
"Authorization: Bearer TOKEN". The log only counts payloads. SIGTERM and Ctrl-C stop the server.`,
    )
    .action((flags: CodecServerFlags) =>
      start(async (context) => {
        const { codecServer } = await import('./codec-server/index.ts')
        return codecServer(context, flags)
      }),
    )
}
