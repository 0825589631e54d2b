import { defineSignal, setHandler } from '@temporalio/workflow'
import { whyUnreadable } from '../codec/unreadable.ts'
import {
  type AttemptOrder,
  type LateAnswer,
  lateSignal,
  type SendingNotice,
  sendingSignal,
} from '../messages.ts'
import { waitUntil } from './wait-until.ts'

/** What workers report of creates besides the result of the activity. */
export interface SentCreates {
  /** Whether the request may have left. Until its worker has announced it, nothing was sent. */
  mayBeSent(order: AttemptOrder): boolean
  /** The answer of a worker whose activity has timed out. Undefined: none came within that time. */
  waitForAnswer(order: AttemptOrder, withinMs: number): Promise<LateAnswer | undefined>
}

export function createSentCreates(): SentCreates {
  const announced = new Set<string>()
  const answers = new Map<string, LateAnswer>()
  setHandler(defineSignal<[SendingNotice]>(sendingSignal), (notice) => {
    // One that cannot be decrypted may name any of them.
    announced.add(whyUnreadable(notice) === undefined ? keyOf(notice) : anyCreate)
  })
  setHandler(defineSignal<[LateAnswer]>(lateSignal), (late) => {
    if (whyUnreadable(late) === undefined) answers.set(keyOf(late), late)
  })
  return {
    mayBeSent: ({ request, handover }) =>
      announced.has(keyOf({ ...request, handover })) || announced.has(anyCreate),
    async waitForAnswer({ request, handover }, withinMs) {
      const key = keyOf({ ...request, handover })
      await waitUntil(Date.now() + withinMs, () => answers.has(key))
      return answers.get(key)
    },
  }
}

const anyCreate = '*'

function keyOf({ path, attempt, handover }: SendingNotice): string {
  return `${path}#${attempt}#${handover}`
}
