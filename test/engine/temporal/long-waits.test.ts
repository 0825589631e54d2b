import { ApplicationFailure } from '@temporalio/common'
import { expect, it, vi } from 'vitest'
import { longestWaitMs } from '../../../src/engine/temporal/attempt-times.ts'
import {
  type AttemptHeartbeat,
  type AttemptOrder,
  waitedTooLong,
} from '../../../src/engine/temporal/messages.ts'
import { startPulse } from '../../../src/engine/temporal/worker/attempt-pulse.ts'
import { createEngineClock } from '../conformance/engine-clock.ts'
import { decode, encode, encodeFailure } from './isolate/payloads.ts'
import { playRunbook } from './isolate/play-runbook.ts'
import type { Resolution, ScheduledActivity } from './isolate/run-activity.ts'
import { isolateOfFile } from './support/isolate-of-file.ts'

const isolate = isolateOfFile()

const startMs = Date.parse('2026-11-22T09:00:00Z')
const steps = [{ id: 'rules', uses: 'rum/error-ingestion/rules/list', with: { application_id: 'a' } }]

it('an attempt that has waited for too long is scheduled again, any number of times, and reports since when it waits', async () => {
  const clock = createEngineClock(startMs)
  const orders: AttemptOrder[] = []
  const waits = 15
  const runActivity = async ({ arguments: payloads }: ScheduledActivity): Promise<Resolution> => {
    orders.push(decode<AttemptOrder>(payloads?.[0]))
    await clock.waitUntil(clock.now() + longestWaitMs)
    if (orders.length > waits) return { completed: { result: encode({ output: { rules: [] } }) } }
    const cause = encodeFailure(ApplicationFailure.create({ type: waitedTooLong, nonRetryable: true }))
    const activityFailureInfo = { activityType: { name: 'rules' }, activityId: 'rules#1' }
    return { failed: { failure: { message: 'Activity task failed', cause, activityFailureInfo } } }
  }
  const work = async (): Promise<unknown> => {
    const workflow = await playRunbook({ isolate, clock, name: 'waits', steps, runActivity })
    const result = await workflow.result
    await workflow.dispose()
    return result
  }
  expect(await clock.run(work())).toMatchObject({ status: 'succeeded' })
  expect(orders.map(({ handover }) => handover)).toEqual(Array.from({ length: waits + 1 }, (_, n) => n))
  expect(orders.map(({ request }) => request.attempt)).toEqual(orders.map(() => 1))
  expect(orders.map(({ waitsSinceMs }) => waitsSinceMs)).toEqual([
    undefined,
    ...orders.slice(1).map(() => startMs),
  ])
})

it('heartbeats report what an attempt waits for, and a wait that is too long is given up once', async () => {
  vi.useFakeTimers({ now: startMs })
  try {
    const beats: (AttemptHeartbeat | undefined)[] = []
    const giveUp = vi.fn()
    const pulse = startPulse({ beat: (details) => void beats.push(details), giveUp, isUnwanted: () => false })
    await vi.advanceTimersByTimeAsync(1000)
    pulse.waitFor({ reason: 'target' })
    await vi.advanceTimersByTimeAsync(1000)
    expect(beats).toEqual([undefined, { waitsFor: { reason: 'target', sinceMs: startMs + 1000 } }])
    await vi.advanceTimersByTimeAsync(longestWaitMs - 2000)
    expect(giveUp).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(giveUp).toHaveBeenCalledOnce()
    expect(pulse.hasWaitedTooLong()).toBe(true)
    pulse.stop()
  } finally {
    vi.useRealTimers()
  }
})
