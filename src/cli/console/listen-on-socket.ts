import { accessSync, chmodSync, constants, existsSync, lstatSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { CommandError } from '../../project/index.ts'

/** Systems cut longer addresses of sockets off, so that the socket would be at another place. */
const mostPathBytes = 103

/** Why a path is too long for a socket. Undefined: it is not. */
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
  const reason = await whyNoSocket(path)
  if (reason === undefined) return rmSync(path, { force: true })
  throw new CommandError('environment', `${key}: ${reason}`, {
    hints: [
      'its folder must be there, and the system user of serve must be able to write to it',
      'name another path, or stop the process that uses it',
    ],
  })
}

/** Why nobody can listen at a path. Undefined: there is nothing, or what a killed process has left. */
async function whyNoSocket(path: string): Promise<string | undefined> {
  const long = tooLong(path)
  if (long !== undefined) return long
  const folder = dirname(path)
  if (!existsSync(folder)) return `${path} cannot be used: ${folder} is not there`
  if (!isWritable(folder)) return `${path} cannot be used: ${folder} cannot be written`
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isSocket()) return `${path} is there, and is no socket`
  const code = await connectCode(path)
  if (code === undefined) return `${path} is in use by another process`
  return ['ECONNREFUSED', 'ENOENT'].includes(code) ? undefined : `${path} cannot be used (${code})`
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The code of the error of a connection. Undefined: a process listens. */
function connectCode(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => resolve(code))
  })
}
