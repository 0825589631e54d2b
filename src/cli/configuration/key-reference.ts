import { readFile, stat } from 'node:fs/promises'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { resolvePath } from './resolve-path.ts'

/** A key, and what is worth saying about where it was found. */
export interface ResolvedKey {
  readonly appKey: string
  readonly warnings: readonly string[]
}

/** The key that `env:NAME` or `file:PATH` stands for. The key is in no message. */
export async function resolveKey(reference: string, folder: string, io: Io): Promise<ResolvedKey> {
  const [kind, ...rest] = reference.split(':')
  const place = rest.join(':')
  if (kind === 'file') return readKeyFile(resolvePath(place, folder, io), place)
  const text = io.env[place]
  if (text === undefined || text.trim() === '') {
    throw lacking(`the environment variable ${place}, which should hold the app key, is not set`, [
      `set ${place}, or change "app-key" in opsbook.yaml`,
    ])
  }
  return { appKey: checkKey(text, `the environment variable ${place}`), warnings: [] }
}

async function readKeyFile(path: string, place: string): Promise<ResolvedKey> {
  try {
    const { mode, size } = await stat(path)
    if (size > 4096) throw lacking(`the key file ${place} is too large to be a key (${size} bytes)`, [])
    const appKey = checkKey(await readFile(path, 'utf8'), `the key file ${place}`)
    const isOpen = process.platform !== 'win32' && (mode & 0o004) !== 0
    return {
      appKey,
      warnings: isOpen
        ? [`everybody on this machine can read the key file ${place}: chmod 600 ${place}`]
        : [],
    }
  } catch (error) {
    if (error instanceof CommandError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw lacking(`the key file ${place} cannot be read (${code})`, [
      code === 'ENOENT' ? 'create it, or change "app-key" in opsbook.yaml' : 'check its permissions',
    ])
  }
}

/** Keys are one word; editors and `echo` leave a line break behind it. */
export function checkKey(text: string, place: string): string {
  const key = text.trim()
  if (key === '') throw lacking(`${place} is empty`, ['it should hold the app key and nothing else'])
  if (/\s|\p{Cc}/u.test(key))
    throw lacking(`${place} holds more than a key`, ['it should hold the app key and nothing else'])
  return key
}

function lacking(message: string, hints: readonly string[]): CommandError {
  return new CommandError(exitCodes.environment, message, { hints })
}
