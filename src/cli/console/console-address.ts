import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { type ConsoleDocument, configurationDefaults } from '../../project/configuration/index.ts'
import { CommandError, usualAddresses } from '../../project/index.ts'
import { isLoopback, type ListenAddress, readListen } from '../shared/read-listen.ts'
import { codeSocketIn } from './code-socket.ts'

/** Where a console listens. */
export type ConsoleAddress = ListenAddress | SocketAddress

/** A unix socket, for the proxy in front. */
export interface SocketAddress {
  readonly socket: string
  /** Who can use it: `0o600` or `0o660`. */
  readonly mode: number
}

/**
 * Reads where the console of `opsbook.yaml` listens. Throws where that cannot be, or is not safe. `dataDir`: that of
 * `serve`.
 */
export function readConsoleAddress(wanted: ConsoleDocument, dataDir: string): ConsoleAddress {
  const {
    listen = usualAddresses.console,
    'public-url': publicUrl,
    'socket-mode': mode = configurationDefaults.socketMode,
  } = wanted
  // The pattern of the schema lets some invalid addresses pass, such as one with the port 99999.
  if (publicUrl !== undefined && !URL.canParse(publicUrl))
    throw new CommandError('usage', '"console.public-url" is an address that cannot be read', {
      hints: ['such as https://ops.example.com'],
    })
  if (listen.startsWith('unix:')) {
    const socket = listen.slice('unix:'.length)
    if (isAbsolute(socket)) {
      refuseCodeSocket(socket, dataDir)
      return { socket, mode: Number.parseInt(mode, 8) }
    }
    throw new CommandError('usage', `console.listen: ${JSON.stringify(socket)} is no absolute path`, {
      hints: ['such as unix:/run/opsbook/console.sock'],
    })
  }
  const address = readListen(listen, usualAddresses.console, 'console.listen')
  refuseReachable(address, wanted)
  return address
}

/** Refuses the path where `serve` answers with one-time addresses: the second server would take it from the first. */
function refuseCodeSocket(path: string, dataDir: string): void {
  if (realPath(path) !== realPath(codeSocketIn(dataDir))) return
  throw new CommandError(
    'usage',
    `console.listen: ${path} is where "opsbook console" gets its one-time addresses`,
    { hints: ['name another path, such as unix:/run/opsbook/console.sock'] },
  )
}

/** A path whose folder has no links. */
function realPath(path: string): string {
  const folder = resolve(dirname(path))
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(path))
}

/** Refuses an address that other machines can reach, unless people log in there behind TLS. */
export function refuseReachable({ host }: ListenAddress, wanted?: ConsoleDocument): void {
  if (isLoopback(host) || (wanted?.auth !== undefined && wanted['public-url'] !== undefined)) return
  throw new CommandError('usage', `a console at ${host} could be reached by other machines`, {
    hints: [
      'listen on 127.0.0.1, and reach it from elsewhere through ssh -L',
      'or let people log in, behind a proxy with TLS: "console.auth" and "console.public-url"',
    ],
  })
}
