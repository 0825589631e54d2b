import { describe, expect, it } from 'vitest'
import type { RateAnswer, RateCount, RateRequest } from '../../../src/engine/temporal/limits/messages.ts'
import { createReservations } from '../../../src/engine/temporal/limits/reservations.ts'
import { answerRequest, createRateCount } from '../../../src/engine/temporal/workflow/limits/rate-limiter.ts'
import { mostIn } from '../../core/most-in.ts'
import { createRandom } from '../../fuzz/random.ts'

const startMs = Date.parse('2026-11-21T09:00:00Z')
const second = [{ max: 10, lengthMs: 1000 }]
const minute = [{ max: 3, lengthMs: 60_000 }]
const day = [{ max: 2, lengthMs: 86_400_000 }]

type Asked = Partial<RateRequest> & { readonly atMs?: number }

function ask(count: RateCount, { atMs = 0, ...request }: Asked): RateAnswer {
  const given = { windows: second, want: 1, forMs: 150, unused: [], ...request }
  return answerRequest(count, given, startMs + atMs)
}

interface CountCase {
  readonly name: string
  readonly asked: readonly Asked[]
  /** The times of what each request reserves, counted from the start of the limiter. */
  readonly times: readonly (readonly number[])[]
  /** When the last one can be free, and be asked for again, counted from its request. */
  readonly none?: RateAnswer['none']
  readonly pausedForMs?: number
}

const cases: readonly CountCase[] = [
  {
    name: 'a process gets a quarter of the smallest window at once',
    asked: [{ want: 9 }, { want: 9, windows: [{ max: 1, lengthMs: 10 }, ...second] }],
    times: [[0, 0, 0], [211]],
  },
  {
    name: 'what does not fit now is reserved for later, together where it is soon',
    asked: [...fillSecond(), { want: 3 }],
    times: [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0], [1201, 1201, 1201]],
  },
  {
    name: 'what is farther ahead is reserved one at a time, for each process',
    asked: [...fillSecond(), ...fillSecond(), { want: 3 }, { want: 3 }],
    times: [
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
      [0],
      [1201, 1201, 1201],
      [1201, 1201, 1201],
      [1201, 1201, 1201],
      [1201],
      [2402],
      [2402],
    ],
  },
  {
    name: 'nothing is reserved for later than 15 s ahead: the answer says when it can be free',
    asked: [{ windows: minute }, { windows: minute }, { windows: minute }, { windows: minute, atMs: 1000 }],
    times: [[0], [0], [0], []],
    none: { freeInMs: 59_201, askAgainInMs: 5000 },
  },
  {
    name: 'once no process can give any back, asking again helps when it is no farther',
    asked: [{ windows: minute }, { windows: minute }, { windows: minute }, { windows: minute, atMs: 11_000 }],
    times: [[0], [0], [0], []],
    none: { freeInMs: 49_201, askAgainInMs: 34_201 },
  },
  {
    name: 'and it is reserved then',
    asked: [{ windows: minute }, { windows: minute }, { windows: minute }, { windows: minute, atMs: 45_201 }],
    times: [[0], [0], [0], [60_201]],
  },
  {
    name: 'a call counts from the end of its validity, and for as long as its process asked for',
    asked: [{ windows: [{ max: 1, lengthMs: 1000 }], forMs: 900 }, { windows: [{ max: 1, lengthMs: 1000 }] }],
    times: [[0], [1951]],
  },
  {
    name: 'all calls are after a pause, and several only where it ends soon',
    asked: [{ want: 0, pauseMs: 5000 }, { want: 3 }, { want: 3, atMs: 4000 }],
    times: [[], [5000], [5000, 5000, 5000]],
    pausedForMs: 1000,
  },
  {
    name: 'a pause that is longer than 15 s: the answer says how long it lasts',
    asked: [{ want: 0, pauseMs: 60_000 }, { want: 0, pauseMs: 1000 }, { atMs: 2000 }],
    times: [[], [], []],
    none: { freeInMs: 58_000, askAgainInMs: 43_000 },
    pausedForMs: 58_000,
  },
  {
    name: 'a clock that is set back counts on from where it was',
    asked: [{ windows: [{ max: 1, lengthMs: 1000 }], atMs: 5000 }, { windows: [{ max: 1, lengthMs: 1000 }] }],
    times: [[5000], [6201]],
  },
]

/** Ten calls that fill the second. */
function fillSecond(): readonly Asked[] {
  return [{ want: 3 }, { want: 3 }, { want: 3 }, { want: 1 }]
}

describe('a limiter', () => {
  it.each(cases)('$name', ({ asked, times, none, pausedForMs = 0 }) => {
    const count = createRateCount(startMs)
    let last: RateAnswer | undefined
    const given = asked.map((request) => {
      last = ask(count, request)
      return last.reserved.map(({ inMs }) => count.clockMs + inMs - startMs)
    })
    expect(given).toEqual(times)
    expect(last?.none).toEqual(none)
    expect(last?.pausedForMs).toBe(pausedForMs)
  })

  it('gives the call of a day again that was not used', () => {
    const count = createRateCount(startMs)
    const [first] = ask(count, { windows: day }).reserved
    ask(count, { windows: day, atMs: 1000 })
    expect(ask(count, { windows: day, atMs: 2000 }).reserved).toEqual([])
    const again = ask(count, { windows: day, atMs: 3000, unused: [first?.slot ?? 0] })
    expect(again.reserved).toEqual([{ slot: expect.any(Number), inMs: 0 }])
  })

  it('ignores what processes report late of calls that an earlier limiter counted', () => {
    const before = createRateCount(startMs)
    const unused = [1, 2].flatMap(() => ask(before, { windows: day }).reserved).map(({ slot }) => slot)
    const next = createRateCount(startMs + 1000)
    for (let made = 0; made < 2; made++) ask(next, { windows: day, atMs: 1000 })
    expect(ask(next, { windows: day, atMs: 2000, unused }).reserved).toEqual([])
  })
})

interface Crowd {
  readonly sentMs: readonly number[]
  /** The calls of each process. */
  readonly counts: readonly number[]
}

/**
 * Processes call one after another in virtual time. Each has a clock of its own, and each message takes as long as it
 * likes. A process sends when it wakes, which can be late, and one in ten dies with what it has reserved.
 */
function playCrowd(processes: number, seed: number, endMs: number): Crowd {
  const { next: random } = createRandom(seed)
  const count = createRateCount(startMs)
  const counts = Array.from({ length: processes }, () => 0)
  const sentMs: number[] = []
  let due: { readonly atMs: number; readonly act: () => void }[] = []
  const after = (atMs: number, act: () => void): void => void due.push({ atMs, act })
  const mostLateMs = [20, 120, 2000][seed % 3] ?? 0
  const begin = (process: number, nowMs: number): void => {
    const own = createReservations()
    const aheadMs = random() * 1e9
    const askAt = (atMs: number): void => {
      const heardAt = atMs + random() * mostLateMs
      const askedMs = atMs + aheadMs
      const forMs = own.validMs()
      after(heardAt, () => {
        const answer = ask(count, { atMs: heardAt, forMs, unused: own.takeUnused() })
        const backAt = heardAt + random() * mostLateMs
        own.add({ ...answer, askedMs }, backAt + aheadMs, forMs)
        wakeAt(backAt)
      })
    }
    const wakeAt = (atMs: number): void =>
      after(atMs, () => {
        const next = own.next(atMs + aheadMs, 0)
        if (!next) return askAt(atMs + 5)
        if (next.fromMs > atMs + aheadMs) return wakeAt(next.fromMs - aheadMs + random() * random() * 100)
        own.take()
        if (random() < 0.05) return begin(process, atMs + 5)
        own.sent(next, atMs + aheadMs)
        sentMs.push(atMs)
        counts[process] = (counts[process] ?? 0) + 1
        askAt(atMs + 5)
      })
    askAt(nowMs)
  }
  for (let process = 0; process < processes; process++) begin(process, random() * 50)
  for (;;) {
    due = due.toSorted((one, other) => one.atMs - other.atMs)
    const [first] = due.splice(0, 1)
    if (!first || first.atMs > endMs) return { sentMs, counts }
    first.act()
  }
}

describe.each([4, 12, 30])('%i processes', (processes) => {
  it.each([1, 2, 3, 4, 5, 6])('are never over a window, and each has its part of it (seed %i)', (seed) => {
    const { sentMs, counts } = playCrowd(processes, seed, 180_000)
    expect(mostIn(sentMs, 1000)).toBeLessThanOrEqual(10)
    const fair = sentMs.length / processes
    expect(Math.min(...counts)).toBeGreaterThan(fair / 2)
  })
})

it('messages and processes that are on time leave most of a window', () => {
  for (const processes of [4, 12, 30]) {
    const { sentMs } = playCrowd(processes, 3, 60_000)
    expect(sentMs.length / 60).toBeGreaterThan(7.5)
  }
})
