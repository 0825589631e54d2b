import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { CommandError } from '../../project/index.ts'
import { listenOnSocket, tooLong } from './listen-on-socket.ts'

/** The address of a console. */
export interface OneTimeAddress {
  readonly url: string
  /** Opens one session. Left out: nobody reaches the console but through the proxy, which logs people in. */
  readonly login?: string
}

/**
 * Hands out one-time addresses over a socket in the data directory. Only the system user of this process can use it.
 * Resolves with what closes it.
 */
export async function openCodeSocket(dataDir: string, issue: () => OneTimeAddress): Promise<() => void> {
  const path = codeSocketIn(dataDir)
  const problem = tooLong(path)
  if (problem !== undefined)
    throw new CommandError('environment', `the path of the data directory is too long for a console`, {
      hints: [problem, 'name another data directory with --data-dir, or remove "console" from opsbook.yaml'],
    })
  rmSync(path, { force: true })
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(JSON.stringify(issue()))
  })
  const listen = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
  await listenOnSocket(path, 0o600, listen)
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
    const socket = connect(codeSocketIn(dataDir))
    socket.setTimeout(longestAnswerMs, () => socket.destroy())
    socket.on('error', () => resolve(undefined))
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    socket.on('end', () => resolve(text === '' ? undefined : (JSON.parse(text) as OneTimeAddress)))
    socket.on('close', () => resolve(undefined))
  })
}

/** The path of the socket at which `serve` answers with a one-time address of its console. */
export function codeSocketIn(dataDir: string): string {
  return join(dataDir, 'console.sock')
}
