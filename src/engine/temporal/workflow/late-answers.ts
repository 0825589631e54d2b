import { defineSignal, setHandler } from '@temporalio/workflow'
import type { CallRequest } from '../../../core/host.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import { type LateAnswer, lateSignal } from '../messages.ts'
import { waitUntil } from './wait-until.ts'

/** What workers tell of creates that the server has given up meanwhile. */
export interface LateAnswers {
  /** What the worker of an attempt says after all; undefined: nothing, in the time that there is for it. */
  hear(request: CallRequest): Promise<LateAnswer | undefined>
}

/**
 * A server that comes back gives up at once what it has not heard of for long. The worker that knows better tries every
 * two seconds, and says so then.
 */
const patienceMs = 30_000

export function createLateAnswers(): LateAnswers {
  const told = new Map<string, LateAnswer>()
  setHandler(defineSignal<[LateAnswer]>(lateSignal), (late) => {
    if (whyUnreadable(late) === undefined) told.set(keyOf(late), late)
  })
  return {
    async hear(request) {
      const key = keyOf(request)
      await waitUntil(Date.now() + patienceMs, () => told.has(key))
      return told.get(key)
    },
  }
}

function keyOf({ path, attempt }: Pick<CallRequest, 'path' | 'attempt'>): string {
  return `${path}#${attempt}`
}
