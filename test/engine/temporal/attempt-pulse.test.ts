import { ActivityCancelledError, ActivityNotFoundError, ActivityPausedError } from '@temporalio/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AttemptHeartbeat } from '../../../src/engine/temporal/messages.ts'
import { startPulse } from '../../../src/engine/temporal/worker/attempt-pulse.ts'

const startMs = Date.parse('2026-11-22T09:00:00Z')
const notSent = { code: 'Cancelled', notSent: true }

beforeEach(() => void vi.useFakeTimers({ now: startMs }))
afterEach(() => void vi.useRealTimers())

/** A pulse, and a server that answers a heartbeat when the test says so. */
function startSlow() {
  const beats: {
    readonly details: AttemptHeartbeat | undefined
    readonly answer: (thrown?: unknown) => void
  }[] = []
  const giveUp = vi.fn()
  let isUnwanted = false
  const pulse = startPulse({
    beat: (details) =>
      new Promise((resolve, reject) => {
        beats.push({ details, answer: (thrown) => (thrown === undefined ? resolve() : reject(thrown)) })
      }),
    giveUp,
    isUnwanted: () => isUnwanted,
  })
  const leave = (): void => {
    isUnwanted = true
  }
  return { pulse, beats, giveUp, leave }
}

/** Answers all heartbeats so far, and those of this time, with this error. */
async function answerAll({ beats }: ReturnType<typeof startSlow>, timeMs: number, thrown?: unknown) {
  for (let passedMs = 0; passedMs <= timeMs; passedMs += 100) {
    for (const { answer } of beats) answer(thrown)
    await vi.advanceTimersByTimeAsync(100)
  }
}

it('a heartbeat that is on its way when a create is announced arrives before the announcement', async () => {
  const { pulse, beats } = startSlow()
  pulse.waitFor({ reason: 'target' })
  await vi.advanceTimersByTimeAsync(1000)
  pulse.waitFor(undefined)
  const announced = pulse.announce()
  await vi.advanceTimersByTimeAsync(3000)
  expect(beats.map(({ details }) => details)).toEqual([{ waitsFor: { reason: 'target', sinceMs: startMs } }])
  beats[0]?.answer()
  await vi.advanceTimersByTimeAsync(0)
  expect(beats.map(({ details }) => details).slice(1)).toEqual([{ isAnnounced: true }])
  beats[1]?.answer()
  await announced
})

it('no later heartbeat erases the announcement, also one that says what the attempt waits for', async () => {
  const slow = startSlow()
  const { pulse, beats } = slow
  const announced = pulse.announce()
  await vi.advanceTimersByTimeAsync(0)
  beats[0]?.answer()
  await announced
  await answerAll(slow, 2000)
  pulse.waitFor({ reason: 'budget' })
  await answerAll(slow, 30_000)
  expect(beats.length).toBeGreaterThan(10)
  for (const { details } of beats) expect(details).toMatchObject({ isAnnounced: true })
  expect(beats.at(-1)?.details).toMatchObject({ waitsFor: { reason: 'budget' } })
})

it('an announcement is taken back where the request did not leave, and the next one follows it', async () => {
  const { pulse, beats } = startSlow()
  const unsent = new AbortController()
  const announced = pulse.announce(unsent.signal)
  await vi.advanceTimersByTimeAsync(0)
  beats[0]?.answer()
  await announced
  unsent.abort()
  await vi.advanceTimersByTimeAsync(0)
  expect(beats.map(({ details }) => details)).toEqual([{ isAnnounced: true }, undefined])
  const again = pulse.announce(new AbortController().signal)
  await vi.advanceTimersByTimeAsync(500)
  expect(beats).toHaveLength(2)
  beats[1]?.answer()
  await vi.advanceTimersByTimeAsync(0)
  expect(beats.at(-1)?.details).toEqual({ isAnnounced: true })
  beats[2]?.answer()
  await again
})

it('an announcement that is taken back leaves an earlier one of the attempt', async () => {
  const slow = startSlow()
  const unsent = new AbortController()
  const announced = slow.pulse.announce().then(() => slow.pulse.announce(unsent.signal))
  await answerAll(slow, 200)
  await announced
  unsent.abort()
  await answerAll(slow, 2000)
  expect(slow.beats.at(-1)?.details).toEqual({ isAnnounced: true })
})

it('a heartbeat that takes an announcement back and may still arrive delays the next announcement', async () => {
  const slow = startSlow()
  const { pulse, beats } = slow
  const unsent = new AbortController()
  const announced = pulse.announce(unsent.signal)
  await vi.advanceTimersByTimeAsync(0)
  beats[0]?.answer()
  await announced
  unsent.abort()
  await vi.advanceTimersByTimeAsync(0)
  let isAnnounced = false
  const again = pulse.announce(new AbortController().signal).then(() => {
    isAnnounced = true
  })
  beats[1]?.answer(new Error('14 UNAVAILABLE'))
  await answerAll(slow, 4000)
  expect(isAnnounced).toBe(false)
  await answerAll(slow, 1500)
  expect(isAnnounced).toBe(true)
  expect(beats.at(-1)?.details).toEqual({ isAnnounced: true })
  await again
})

it('a create is announced once no heartbeat from before can arrive any more', async () => {
  const slow = startSlow()
  await answerAll(slow, 2000, new Error('14 UNAVAILABLE'))
  let isAnnounced = false
  const announced = slow.pulse.announce().then(() => {
    isAnnounced = true
  })
  await answerAll(slow, 4000)
  expect(isAnnounced).toBe(false)
  await answerAll(slow, 2000)
  await announced
  expect(slow.beats.at(-1)?.details).toEqual({ isAnnounced: true })
})

it.each([ActivityNotFoundError, ActivityCancelledError, ActivityPausedError])(
  'a create that the server has taken from its worker is not sent: %o',
  async (Taken) => {
    const { pulse, beats, giveUp } = startSlow()
    const announced = pulse.announce()
    const ended = expect(announced).rejects.toMatchObject(notSent)
    await vi.advanceTimersByTimeAsync(0)
    beats[0]?.answer(new Taken('taken'))
    await ended
    expect(giveUp).toHaveBeenCalled()
  },
)

it('an announcement is repeated during an outage, and given up when the worker counts as lost', async () => {
  const slow = startSlow()
  const short = slow.pulse.announce()
  await vi.advanceTimersByTimeAsync(0)
  slow.beats[0]?.answer(new Error('14 UNAVAILABLE'))
  await vi.advanceTimersByTimeAsync(100)
  slow.beats[1]?.answer()
  await short
  const long = slow.pulse.announce().catch((thrown: unknown) => thrown)
  await answerAll(slow, 12_000, new Error('14 UNAVAILABLE'))
  expect(await long).toMatchObject(notSent)
})

it('a create that is no longer wanted is not announced', async () => {
  const { pulse, beats, leave } = startSlow()
  leave()
  await expect(pulse.announce()).rejects.toMatchObject(notSent)
  expect(beats).toEqual([])
})
