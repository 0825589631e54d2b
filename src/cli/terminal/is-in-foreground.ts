import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Whether this process may change the terminal that it was started at. One in the background would be stopped by the
 * system for the attempt.
 */
export function isInForeground(): boolean {
  if (process.platform === 'win32') return true
  try {
    const [own, foreground] = process.platform === 'linux' ? readGroups() : askForGroups()
    return own !== undefined && own === foreground
  } catch {
    return false
  }
}

type Groups = readonly (string | undefined)[]

/** The process group, and the one that has the terminal. The name before them can hold spaces and brackets. */
function readGroups(): Groups {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const [, , own, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return [own, foreground]
}

function askForGroups(): Groups {
  const words = ['-o', 'pgid=,tpgid=', '-p', String(process.pid)]
  return execFileSync('ps', words, { encoding: 'utf8', timeout: 1000 }).trim().split(/\s+/)
}
