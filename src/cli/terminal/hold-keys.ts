import type { Io } from '../io.ts'
import { isInForeground } from './is-in-foreground.ts'

/** What a terminal makes of a key by itself, as long as nobody holds the keys. */
type KeySignal = 'SIGINT' | 'SIGQUIT' | 'SIGTSTP'

const signals: Readonly<Record<string, KeySignal>> = {
  '\u0003': 'SIGINT',
  '\u001c': 'SIGQUIT',
  '\u001a': 'SIGTSTP',
}

/** What holding keys needs of the process. */
export interface KeySystem {
  isInForeground(): boolean
  /** Sends it to whom the terminal would have sent it: this process, and those it was started with. */
  raise(signal: KeySignal): void
  /** Calls the listener when the process goes on after it was stopped, until the returned function is called. */
  onContinue(listener: () => void): () => void
}

/**
 * Keeps what is typed off the screen until the returned function is called, or the process ends: it would stand between
 * the lines of a picture that is drawn anew. The keys that interrupt, quit and suspend do what they always do; all
 * others are lost.
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
      // Whoever stops or dies leaves the terminal as it was.
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
    // There are no groups to send it to, and to send it is to end the process.
    if (process.platform === 'win32') process.emit(signal)
    else process.kill(0, signal)
  },
  onContinue(listener) {
    process.on('SIGCONT', listener)
    return () => process.off('SIGCONT', listener)
  },
}
