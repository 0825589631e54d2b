import { setTimeout as sleep } from 'node:timers/promises'
import type { ErrorCode } from '../core/errors.ts'
import { RunbookError } from '../core/run-error.ts'

/** Answers with undefined where a retry can help. Reports the reason once, until there is an answer again. */
export function createRetryDeadline(
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

/** Errors that end without a change by the caller, with what is waited for. */
const waits: Readonly<Record<string, string>> = {
  NoWorker: 'waiting for one, which "opsbook worker" starts',
  CodeCannotReplay: 'waiting for a worker whose code fits',
  BuildIsGone: 'waiting for a worker of that build',
  TemporalUnavailable: 'it is asked again until it answers',
}

const askAgainMs = 100

/** Asks until there is an answer, and reports what is waited for. Throws any other error. */
export async function untilAnswered<T>(ask: () => Promise<T>, say: (text: string) => void): Promise<T> {
  const retrying = createRetryDeadline(say)
  for (;;) {
    const answer = await retrying(async () => ({ is: await ask() }))
    if (answer) return answer.is
    await sleep(askAgainMs)
  }
}
