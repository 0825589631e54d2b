import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { CommandError } from '../shared/command-error.ts'
import { exitCodes } from '../shared/exit-codes.ts'

/** The address that opens one session. */
export interface OneTimeAddress {
  readonly url: string
  readonly login: string
}

/** Systems cut longer addresses of sockets off, so that the socket would be at another place. */
const mostPathBytes = 103

/**
 * Hands out one-time addresses over a socket in the data directory. Only the system user of this process can use it.
 * Resolves with what closes it.
 */
export async function openCodeSocket(dataDir: string, issue: () => OneTimeAddress): Promise<() => void> {
  const path = socketIn(dataDir)
  if (Buffer.byteLength(path) > mostPathBytes)
    throw new CommandError(
      exitCodes.environment,
      `the path of the data directory is too long for a console`,
      {
        hints: [
          `${path} has ${Buffer.byteLength(path)} bytes, and a socket at most ${mostPathBytes}`,
          'name another data directory with --data-dir, or remove "console" from opsbook.yaml',
        ],
      },
    )
  rmSync(path, { force: true })
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(JSON.stringify(issue()))
  })
  // The socket is made with these permissions, so that no other user can connect before the next line.
  const mask = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
  } finally {
    process.umask(mask)
  }
  chmodSync(path, 0o600)
  return () => {
    server.close()
    rmSync(path, { force: true })
  }
}

const longestAnswerMs = 5000

/** Asks the console of `opsbook serve` for a one-time address. Undefined: none uses this data directory. */
export function requestAddress(dataDir: string): Promise<OneTimeAddress | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(socketIn(dataDir))
    socket.setTimeout(longestAnswerMs, () => socket.destroy())
    socket.on('error', () => resolve(undefined))
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    socket.on('end', () => resolve(text === '' ? undefined : (JSON.parse(text) as OneTimeAddress)))
    socket.on('close', () => resolve(undefined))
  })
}

function socketIn(dataDir: string): string {
  return join(dataDir, 'console.sock')
}
