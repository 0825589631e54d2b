/** `opsbook temporal codec-server`: decodes payloads for Temporal's web UI and command line. */
import { createMask } from '../../../core/mask/index.ts'
import { keysVariable, readPayloadKeys } from '../../../engine/temporal/codec/index.ts'
import { CommandError } from '../../shared/command-error.ts'
import { answer, type CommandContext, tell } from '../../shared/context.ts'
import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import { chooseLogLevel, createLogger } from '../../shared/logger.ts'
import { cannotListen, isLoopback, type ListenAddress, readListen } from '../../shared/read-listen.ts'

import { createCodecApp } from './create-codec-app.ts'

/** The flags of `temporal codec-server`, as the parser hands them over. */
export interface CodecServerFlags {
  /** Host and port. */
  readonly listen: string
  readonly origin?: readonly string[]
}

/** Name of the variable that holds the token. */
const tokenVariable = 'OPSBOOK_CODEC_TOKEN'
const fewestTokenCharacters = 16
/** The web UI of a development server. */
const usualOrigins = ['http://localhost:8233', 'http://127.0.0.1:8233']

/** Serves until SIGINT or SIGTERM. The line on stdout is the URL to use as codec endpoint. */
export async function codecServer(context: CommandContext, flags: CodecServerFlags): Promise<ExitCode> {
  const address = readListen(flags.listen, '127.0.0.1:8089')
  const token = readToken(context.io.env[tokenVariable], address)
  const origins = (flags.origin ?? usualOrigins).map(readOrigin)
  const keys = readPayloadKeys(context.io.env[keysVariable])
  if (keys.length === 0)
    tell(
      context,
      `warning: ${keysVariable} is not set: compressed payloads are decoded, encrypted ones are not`,
    )
  const mask = createMask()
  if (token !== undefined) mask.hide(token)
  const logger = await createLogger(chooseLogLevel(context, 'info'), context.io, mask)
  const stopped = new Promise<void>((stop) => context.io.onStopSignal(() => stop()))
  const app = createCodecApp({
    keys,
    origins,
    token,
    onServed: ({ did, ...counts }) => logger?.info(counts, did),
  })
  try {
    const url = await app.listen({ host: address.host, port: address.port }).catch((cause) => {
      throw cannotListen('--listen', address, cause)
    })
    answer(context, url)
    await stopped
  } finally {
    await app.close()
  }
  return exitCodes.succeeded
}

function readToken(token: string | undefined, { host, port }: ListenAddress): string | undefined {
  if (!token) {
    if (isLoopback(host)) return undefined
    throw new CommandError(
      exitCodes.usage,
      `${host}:${port} can be reached from other machines, and ${tokenVariable} is not set`,
      {
        hints: [
          `set ${tokenVariable} to a token that each request must carry as "Authorization: Bearer TOKEN"`,
          'or listen on this machine only: --listen 127.0.0.1:8089',
        ],
      },
    )
  }
  if (/^[\x21-\x7e]+$/.test(token) && token.length >= fewestTokenCharacters) return token
  throw new CommandError(
    exitCodes.usage,
    `${tokenVariable} must have at least ${fewestTokenCharacters} characters, all of them visible ASCII`,
    { hints: ['make one: openssl rand -hex 32'] },
  )
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (isOrigin) return url.origin
  throw new CommandError(
    exitCodes.usage,
    `--origin takes the origin of a web page, such as https://temporal.example.com, not ${JSON.stringify(text)}`,
  )
}
