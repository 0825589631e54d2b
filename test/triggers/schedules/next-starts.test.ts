import { describe, expect, it } from 'vitest'
import { checkedCron } from '../../../src/core/times/index.ts'
import { nextStarts, type Schedule } from '../../../src/triggers/schedules/schedule-entry.ts'
import { createRandom, randomCron } from './random-cron.ts'
import { minuteText, readScheduleCases } from './schedule-case.ts'

function starts(given: Partial<Schedule>, after: string, count = 3): readonly string[] {
  const schedule: Schedule = {
    type: 'schedule',
    timezone: 'UTC',
    overlap: 'skip',
    catchUpMs: 60_000,
    ...given,
  }
  return nextStarts(schedule, Date.parse(after), count).map((time) =>
    new Date(time).toISOString().slice(0, 16),
  )
}

const hourMs = 3_600_000

it.each(readScheduleCases())('$about', ({ schedule, afterMs, untilMs, times }) => {
  const found = nextStarts(schedule, afterMs, times.length + 1)
  expect(found.filter((time) => time <= untilMs).map(minuteText)).toEqual(times)
})

const cases: readonly (readonly [
  about: string,
  schedule: Partial<Schedule>,
  after: string,
  times: readonly string[],
])[] = [
  [
    'from a number on',
    { cron: '5/20 0 29 feb *' },
    '2026-11-20T00:00:00Z',
    ['2028-02-29T00:05', '2028-02-29T00:25', '2028-02-29T00:45'],
  ],
  [
    'every six hours, in every process',
    { everyMs: 6 * hourMs },
    '2026-11-20T07:11:12Z',
    ['2026-11-20T12:00', '2026-11-20T18:00', '2026-11-21T00:00'],
  ],
]
it.each(cases)('%s', (_, schedule, after, times) => {
  expect(starts(schedule, after)).toEqual(times)
})

describe('the expressions that the loader takes', () => {
  /** The days and times that the loader has read, from one moment on. */
  function expected(cron: string, after: string): readonly string[] {
    const read = checkedCron(cron)
    const [from, times]: [number, number[]] = [Date.parse(after), []]
    for (let day = Math.floor(from / (24 * hourMs)); times.length < 3; day++) {
      const start = day * 24 * hourMs
      if (read.isDay(start)) times.push(...read.times.map((minutes) => start + minutes * 60_000))
      times.splice(0, times.length, ...times.filter((time) => time > from))
    }
    return times.slice(0, 3).map((time) => new Date(time).toISOString().slice(0, 16))
  }

  it('have the times that the loader reads in them', () => {
    const random = createRandom(7)
    for (let count = 0; count < 300; count++) {
      const cron = randomCron(random)
      const after = new Date(Date.UTC(2026, random(12), 1 + random(28), random(24), random(60))).toISOString()
      expect([cron, after, starts({ cron }, after)]).toEqual([cron, after, expected(cron, after)])
    }
  })
})
