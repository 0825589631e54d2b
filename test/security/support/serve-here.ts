import { onTestFinished } from 'vitest'
import { opsbook, type RunningCommand, type Surroundings } from '../../cli/support/opsbook.ts'

/** `opsbook serve` in this process. */
export interface Served {
  readonly url: string
  /** What it has logged so far. */
  log(): string
}

/** Serves until the test has ended. Resolves once it is ready. */
export function serveHere(words: readonly string[], surroundings: Surroundings): Promise<Served> {
  let log = ''
  return new Promise((resolve, reject) => {
    const ended = opsbook(['serve', '--listen', '127.0.0.1:0', ...words], {
      ...surroundings,
      onWrite(text, command: RunningCommand) {
        log += text
        const url = /serve ready: (\S+)/.exec(text)?.[1]
        if (url === undefined) return
        onTestFinished(async () => {
          command.signal('SIGTERM')
          await ended
        })
        resolve({ url, log: () => log })
      },
    })
    ended.then(({ stderr }) => reject(new Error(stderr)), reject)
  })
}
