import { CommandError } from '../../project/index.ts'

/** An address to listen on. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Reads the address of `--listen` or another flag. */
export function readListen(text: string, example: string, flag = '--listen'): ListenAddress {
  const [, host = '', port = ''] = text.match(/^([^/]+):(\d{1,5})$/) ?? []
  if (host === '' || Number(port) > 65_535)
    throw new CommandError(
      'usage',
      `${flag} takes a host and a port, such as ${example}, not ${JSON.stringify(text)}`,
      { hints: text.includes('/') ? ['leave out "http://" and every path'] : [] },
    )
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** The error of a listener that cannot have its address. */
export function cannotListen(
  flag: string,
  { host, port }: ListenAddress,
  cause: NodeJS.ErrnoException,
): CommandError {
  const why = cause.code === 'EADDRINUSE' ? 'is in use' : `cannot be used: ${cause.message}`
  return new CommandError('environment', `${flag}: ${host}:${port} ${why}`, {
    hints: ['name another port, or an address of this machine'],
    cause,
  })
}

/** Whether only this machine can reach a listener at this host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

/** The URL of a listener. */
export function listenUrl({ host, port }: ListenAddress): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
