import { CommandError } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'

/** Where somebody listens. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** The address that `--listen` names. */
export function readListen(text: string, example: string): ListenAddress {
  const [, host = '', port = ''] = text.match(/^(.+):(\d{1,5})$/) ?? []
  if (host === '' || Number(port) > 65_535)
    throw new CommandError(
      exitCodes.usage,
      `--listen takes a host and a port, such as ${example}, and not ${JSON.stringify(text)}`,
    )
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}
