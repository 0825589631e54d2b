import { describe, expect, it } from 'vitest'
import { nextStarts, type Schedule } from '../../../src/cli/schedules/next-starts.ts'
import { parseCron } from '../../../src/load/starts/cron.ts'

function starts(given: Partial<Schedule>, after: string, count = 3): readonly string[] {
  const schedule: Schedule = { type: 'schedule', timezone: 'UTC', overlap: 'skip', ...given }
  return nextStarts(schedule, Date.parse(after), count).map((time) =>
    new Date(time).toISOString().slice(0, 16),
  )
}

const hourMs = 3_600_000
const berlin = 'Europe/Berlin'

const cases: readonly (readonly [
  about: string,
  schedule: Partial<Schedule>,
  after: string,
  times: readonly string[],
])[] = [
  [
    'weekdays in a zone',
    { cron: '0 8 * * 1-5', timezone: berlin },
    '2026-11-20T07:00:00Z',
    ['2026-11-23T07:00', '2026-11-24T07:00', '2026-11-25T07:00'],
  ],
  [
    'a time that summer time skips comes as much later',
    { cron: '30 2 * * *', timezone: berlin },
    '2026-03-28T12:00:00Z',
    ['2026-03-29T01:00', '2026-03-30T00:30', '2026-03-31T00:30'],
  ],
  [
    'a time that comes twice is started once',
    { cron: '30 2 * * *', timezone: berlin },
    '2026-10-24T12:00:00Z',
    ['2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30'],
  ],
  [
    'a rhythm goes on through the hour that comes twice',
    { cron: '0,30 * * * *', timezone: berlin },
    '2026-10-25T00:15:00Z',
    ['2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30'],
  ],
  [
    'either day is enough where both are limited',
    { cron: '0 0 13 * fri' },
    '2026-11-11T00:00:00Z',
    ['2026-11-13T00:00', '2026-11-20T00:00', '2026-11-27T00:00'],
  ],
  [
    'a star with a step is no limit of this kind',
    { cron: '0 0 */2 * mon' },
    '2026-11-20T00:00:00Z',
    ['2026-11-23T00:00', '2026-12-07T00:00', '2026-12-21T00:00'],
  ],
  [
    'from a number on',
    { cron: '5/20 0 29 feb *' },
    '2026-11-20T00:00:00Z',
    ['2028-02-29T00:05', '2028-02-29T00:25', '2028-02-29T00:45'],
  ],
  [
    'every six hours, whoever asks',
    { everyMs: 6 * hourMs },
    '2026-11-20T07:11:12Z',
    ['2026-11-20T12:00', '2026-11-20T18:00', '2026-11-21T00:00'],
  ],
  [
    'every six hours from a moment on, itself included',
    { everyMs: 6 * hourMs, startAt: '2026-11-21T01:00:00+01:00' },
    '2026-11-20T07:00:00Z',
    ['2026-11-21T00:00', '2026-11-21T06:00', '2026-11-21T12:00'],
  ],
  [
    'counted from a moment that is past',
    { everyMs: 6 * hourMs, startAt: '2020-01-01T01:00:00Z' },
    '2026-11-20T07:00:00Z',
    ['2026-11-20T13:00', '2026-11-20T19:00', '2026-11-21T01:00'],
  ],
  [
    'until a moment, itself included',
    { cron: '0 * * * *', endAt: '2026-11-20T09:00:00Z' },
    '2026-11-20T07:00:00Z',
    ['2026-11-20T08:00', '2026-11-20T09:00'],
  ],
  ['never again', { everyMs: hourMs, endAt: '2026-11-20T07:00:00Z' }, '2026-11-20T07:00:00Z', []],
  [
    'not before a moment, itself included',
    { cron: '0 * * * *', startAt: '2026-11-20T09:00:00Z' },
    '2026-11-20T07:00:00Z',
    ['2026-11-20T09:00', '2026-11-20T10:00', '2026-11-20T11:00'],
  ],
]
it.each(cases)('%s', (_, schedule, after, times) => {
  expect(starts(schedule, after)).toEqual(times)
})

describe('the expressions that the loader takes', () => {
  /** Numbers that are the same in every run of the test. */
  function createRandom(seed: number): (below: number) => number {
    let state = seed
    return (below) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor((state / 2 ** 31) * below)
    }
  }

  function field(
    random: (below: number) => number,
    from: number,
    to: number,
    words: readonly string[],
  ): string {
    const part = (): string => {
      const [low, high] = [from + random(to - from + 1), from + random(to - from + 1)].sort((a, b) => a - b)
      const word = words[random(words.length)]
      const forms = [
        '*',
        `*/${1 + random(to)}`,
        `${low}-${high}`,
        `${low}-${high}/${1 + random(5)}`,
        `${low}/7`,
      ]
      return [...forms, word ?? `${low}`][random(6)] ?? '*'
    }
    return Array.from({ length: 1 + random(2) }, part).join(',')
  }

  function expression(random: (below: number) => number): string {
    const [minute, hour, day] = [field(random, 0, 59, []), field(random, 0, 23, []), field(random, 1, 31, [])]
    const month = field(random, 1, 12, ['jan', 'feb', 'DEC'])
    return `${minute} ${hour} ${day} ${month} ${field(random, 0, 7, ['sun', 'Mon', 'fri'])}`
  }

  /** The days and times that the loader has read, from one moment on. */
  function expected(cron: string, after: string): readonly string[] {
    const read = parseCron(cron)
    if ('problem' in read) throw new Error(read.problem.message)
    const [from, times]: [number, number[]] = [Date.parse(after), []]
    for (let day = Math.floor(from / (24 * hourMs)); times.length < 3; day++) {
      const start = day * 24 * hourMs
      if (read.isDay(new Date(start))) times.push(...read.times.map((minutes) => start + minutes * 60_000))
      times.splice(0, times.length, ...times.filter((time) => time > from))
    }
    return times.slice(0, 3).map((time) => new Date(time).toISOString().slice(0, 16))
  }

  it('have the times that the loader reads in them', () => {
    const random = createRandom(7)
    for (let count = 0; count < 300; count++) {
      const cron = expression(random)
      const after = new Date(Date.UTC(2026, random(12), 1 + random(28), random(24), random(60))).toISOString()
      expect([cron, after, starts({ cron }, after)]).toEqual([cron, after, expected(cron, after)])
    }
  })
})
