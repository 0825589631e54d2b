import { userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import type { Io } from '../io.ts'

/** An absolute path: `~/` is the home folder, anything relative starts at the given folder. */
export function resolvePath(path: string, folder: string, { env }: Pick<Io, 'env'>): string {
  return path.startsWith('~/') ? join(homeFolder(env), path.slice(2)) : resolve(folder, path)
}

export function homeFolder(env: Io['env']): string {
  return env['HOME'] || userInfo().homedir
}
