import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { CommandError } from '../shared/command-error.ts'
import { exitCodes } from '../shared/exit-codes.ts'

/** Systems cut longer addresses of sockets off, so that the socket would be at another place. */
const mostPathBytes = 103

/** Why a path cannot be that of a socket. Undefined: it can. */
export function tooLong(path: string): string | undefined {
  const bytes = Buffer.byteLength(path)
  return bytes <= mostPathBytes
    ? undefined
    : `${path} has ${bytes} bytes, and a socket at most ${mostPathBytes}`
}

/** Listens on a unix socket. No other user can connect before it has its mode. */
export async function listenOnSocket(
  path: string,
  mode: number,
  listen: () => Promise<unknown>,
): Promise<void> {
  const mask = process.umask(0o077)
  try {
    await listen()
  } finally {
    process.umask(mask)
  }
  chmodSync(path, mode)
}

/** Removes a socket that a killed process has left. Throws where another process or another file is there. */
export async function clearSocket(path: string, key: string): Promise<void> {
  const reason = tooLong(path) ?? (await whyNotFree(path))
  if (reason === undefined) return rmSync(path, { force: true })
  throw new CommandError(exitCodes.environment, `${key}: ${reason}`, {
    hints: ['name another path, or stop the process that uses it'],
  })
}

/** Why nobody can listen at a path. Undefined: there is nothing, or what a killed process has left. */
async function whyNotFree(path: string): Promise<string | undefined> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isSocket()) return `${path} is there, and is no socket`
  const code = await connectCode(path)
  if (code === undefined) return `${path} is in use by another process`
  return ['ECONNREFUSED', 'ENOENT'].includes(code) ? undefined : `${path} cannot be used (${code})`
}

/** The code of the error of a connection. Undefined: a process listens. */
export function connectCode(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => resolve(code))
  })
}
