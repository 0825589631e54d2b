import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { connectClient } from '../../../../src/engine/temporal/index.ts'
import { specOf } from '../../../../src/engine/temporal/schedules/scheduled-run.ts'
import { nextStarts, type Schedule } from '../../../../src/triggers/schedules/schedule-entry.ts'
import { retryStart } from '../../../support/retry-start.ts'
import { createRandom, randomCron } from '../../../triggers/schedules/random-cron.ts'
import { minuteText, readScheduleCases } from '../../../triggers/schedules/schedule-case.ts'

let client: Client
beforeAll(async () => {
  const settings = { address: inject('temporalAddress'), namespace: 'default', taskQueue: 'nobody' }
  client = await retryStart(() => connectClient(settings))
})
afterAll(() => client.connection.close())

/** The times that the server finds in a schedule, after the one and up to the other. */
async function matchingTimes(
  schedule: Schedule,
  afterMs: number,
  untilMs: number,
): Promise<readonly number[]> {
  const handle = await client.schedule.create({
    scheduleId: `test-${randomUUID()}`,
    spec: specOf(schedule),
    action: { type: 'startWorkflow', workflowType: 'never', taskQueue: 'nobody', workflowId: 'never' },
    state: { paused: true },
  })
  try {
    const { startTime } = await client.workflowService.listScheduleMatchingTimes({
      namespace: 'default',
      scheduleId: handle.scheduleId,
      startTime: timestamp(afterMs),
      endTime: timestamp(untilMs),
    })
    return (startTime ?? []).map(({ seconds }) => Number(seconds) * 1000)
  } finally {
    await handle.delete()
  }
}

/** What the request takes for seconds is a number in the declaration of another package. */
function timestamp(timeMs: number): { seconds: never; nanos: number } {
  return { seconds: (timeMs / 1000) as never, nanos: 0 }
}

describe('the times of a schedule on a server', () => {
  it.each(readScheduleCases())('$about', async ({ schedule, afterMs, untilMs, times, temporal = times }) => {
    expect((await matchingTimes(schedule, afterMs, untilMs)).map(minuteText)).toEqual(temporal)
  })

  it('are those of the embedded engine, whatever the cron expression', async () => {
    const random = createRandom(11)
    for (let count = 0; count < 60; count++) {
      const schedule: Schedule = {
        type: 'schedule',
        timezone: 'UTC',
        overlap: 'skip',
        catchUpMs: 60_000,
        cron: randomCron(random),
      }
      const afterMs = Date.UTC(2026, random(12), 1 + random(28), random(24), random(60))
      const expected = nextStarts(schedule, afterMs, 5)
      const found = await matchingTimes(schedule, afterMs, expected.at(-1) ?? afterMs)
      expect([schedule.cron, ...found.map(minuteText)]).toEqual([schedule.cron, ...expected.map(minuteText)])
    }
  })
})
