import { homedir } from 'node:os'
import { join } from 'node:path'
import { release } from './release.ts'

/** Where the program of this release is kept for later. */
export function cacheFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const base = environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache')
  return join(base, 'opsbook', 'temporal', release)
}
