import { CommandError } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'

/** Where somebody listens. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** The address that `--listen`, or another flag, names. */
export function readListen(text: string, example: string, flag = '--listen'): ListenAddress {
  const [, host = '', port = ''] = text.match(/^(.+):(\d{1,5})$/) ?? []
  if (host === '' || Number(port) > 65_535)
    throw new CommandError(
      exitCodes.usage,
      `${flag} takes a host and a port, such as ${example}, and not ${JSON.stringify(text)}`,
    )
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** Whether only this machine can reach a listener at this host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

/** The URL of a listener. */
export function listenUrl({ host, port }: ListenAddress): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
