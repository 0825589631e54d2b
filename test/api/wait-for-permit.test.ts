import { expect, it } from 'vitest'
import { createWaitingLane, steadyNow, waitForPermit } from '../../src/api/pacing/index.ts'
import type { NoPermit } from '../../src/api/pacing/wait-for-permit.ts'
import type { CallWait } from '../../src/api/pacing/waits.ts'

const lease = { sent: () => true, done() {}, cancel() {} }

/** Waits at the head of a line, where each question has the next of these answers. */
async function reportedOf(answers: readonly NoPermit[]): Promise<readonly CallWait[]> {
  const waits: CallWait[] = []
  let asked = 0
  const askAgainMs = steadyNow() + 1
  await waitForPermit(createWaitingLane(), { onWait: (wait) => waits.push(wait) }, () => {
    const answer = answers[asked++]
    return answer ? { ...answer, askAgainMs } : lease
  })
  expect(asked).toBe(answers.length + 1)
  return waits
}

const nowMs = steadyNow()
const budget = (afterMs: number): NoPermit => ({ reason: 'budget', untilMs: nowMs + afterMs })
const throttle = (afterMs: number): NoPermit => ({ reason: 'throttle', untilMs: nowMs + afterMs })

it('a call that waits at the head reports the expected end, and once that it is not known', async () => {
  expect(await reportedOf([1000, 1500, 3000, 5000, 4000, 9000].map(budget))).toEqual([
    { reason: 'budget', untilMs: nowMs + 1000 },
    { reason: 'budget' },
  ])
})

it('an earlier end is no news, and another reason is', async () => {
  expect(await reportedOf([budget(9000), budget(5000), throttle(60_000), budget(2000)])).toEqual([
    { reason: 'budget', untilMs: nowMs + 9000 },
    { reason: 'throttle', untilMs: nowMs + 60_000 },
    { reason: 'budget', untilMs: nowMs + 2000 },
  ])
})
