import { Command } from 'commander'
import type { Start } from '../context.ts'
import { examples, gather } from './examples.ts'

/** The flags of `temporal codec-server`, as the parser hands them over. */
export interface CodecServerFlags {
  /** Host and port. */
  readonly listen: string
  readonly origin?: readonly string[]
}

export function codecServerCommand(start: Start): Command {
  return new Command('codec-server')
    .summary("decode payloads for Temporal's web UI and command line")
    .description(
      "Decodes what workers encrypt or compress, for Temporal's web UI and command line. Its keys are those of OPSBOOK_TEMPORAL_KEYS.",
    )
    .option('--listen <host:port>', 'where it listens; port 0 picks a free one', '127.0.0.1:8089')
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

In the web UI, enter http://127.0.0.1:8089 under "Configure Codec Server". It is called by the browser.
An address that other machines can reach needs OPSBOOK_CODEC_TOKEN: each request must carry it as
"Authorization: Bearer TOKEN". The log has numbers of payloads only. SIGTERM and Ctrl-C end it.`,
    )
    .action((flags: CodecServerFlags) =>
      start(async (context) => {
        const { codecServer } = await import('../temporal/codec-server/index.ts')
        return codecServer(context, flags)
      }),
    )
}
