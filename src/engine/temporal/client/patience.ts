import { setTimeout as sleep } from 'node:timers/promises'
import type { ErrorCode } from '../../../core/errors.ts'
import { RunbookError } from '../../../core/run-error.ts'

/** Answers with nothing where it is a matter of waiting. Says what is waited for: once, until there is an answer again. */
export function createPatience(
  say: (text: string) => void,
): <T>(ask: () => Promise<T>) => Promise<T | undefined> {
  let said: ErrorCode | undefined
  return async (ask) => {
    try {
      const answer = await ask()
      said = undefined
      return answer
    } catch (thrown) {
      if (!RunbookError.is(thrown)) throw thrown
      const why = waits[thrown.code]
      if (why === undefined) throw thrown
      if (said !== thrown.code) say(`${thrown.message}; ${why}`)
      said = thrown.code
      return undefined
    }
  }
}

/** What is to be said of what passes by itself. */
const waits: Readonly<Record<string, string>> = {
  NoWorker: 'waiting for one, which "opsbook worker" starts',
  CodeCannotReplay: 'waiting for a worker whose code fits',
  BuildIsGone: 'waiting for a worker of that build',
  TemporalUnavailable: 'it is asked again until it answers',
}

const askAgainMs = 100

/** Asks until there is an answer, and says what is waited for. Any other failure is that of the asking. */
export async function untilAnswered<T>(ask: () => Promise<T>, say: (text: string) => void): Promise<T> {
  const patiently = createPatience(say)
  for (;;) {
    const answer = await patiently(async () => ({ is: await ask() }))
    if (answer) return answer.is
    await sleep(askAgainMs)
  }
}
