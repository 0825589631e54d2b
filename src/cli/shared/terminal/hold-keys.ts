import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Io } from '../io.ts'

/** The signals that a terminal sends for keys, unless it is in raw mode. */
type KeySignal = 'SIGINT' | 'SIGQUIT' | 'SIGTSTP'

const signals: Readonly<Record<string, KeySignal>> = {
  '\u0003': 'SIGINT',
  '\u001c': 'SIGQUIT',
  '\u001a': 'SIGTSTP',
}

/** What holding keys needs of the process. */
export interface KeySystem {
  isInForeground(): boolean
  /** Sends the signal to the process group, as the terminal would. */
  raise(signal: KeySignal): void
  /** Calls the listener when the process continues after a stop, until the returned function is called. */
  onContinue(listener: () => void): () => void
}

/**
 * Keeps typed keys off the screen, where they would break a live view, until the returned function is called or the process
 * ends. The keys that interrupt, quit and suspend work as usual; all others are lost.
 */
export function holdKeys(
  { stdin, onExit }: Pick<Io, 'stdin' | 'onExit'>,
  system: KeySystem = processSystem,
): () => void {
  if (stdin.isTTY !== true || stdin.setRawMode === undefined) return () => {}
  let isHeld = false
  const hold = (): void => {
    if (isHeld || !system.isInForeground()) return
    isHeld = true
    stdin.setRawMode?.(true)
    stdin.on('data', take)
    stdin.resume()
  }
  const letGo = (): void => {
    if (!isHeld) return
    isHeld = false
    stdin.off('data', take)
    stdin.pause()
    stdin.setRawMode?.(false)
  }
  const take = (keys: unknown): void => {
    for (const key of String(keys)) {
      const signal = signals[key]
      if (signal === undefined) continue
      // A stopped or ended process must leave the terminal as it was.
      if (signal !== 'SIGINT') letGo()
      system.raise(signal)
    }
  }
  hold()
  const forgetExit = onExit(letGo)
  const forgetContinue = system.onContinue(hold)
  return () => {
    forgetExit()
    forgetContinue()
    letGo()
  }
}

const processSystem: KeySystem = {
  isInForeground,
  raise(signal) {
    // Windows has no process groups, and sending a signal would end the process.
    if (process.platform === 'win32') process.emit(signal)
    else process.kill(0, signal)
  },
  onContinue(listener) {
    process.on('SIGCONT', listener)
    return () => process.off('SIGCONT', listener)
  },
}

/**
 * Whether this process may change its terminal. The system would stop a background process for the attempt.
 */
function isInForeground(): boolean {
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
