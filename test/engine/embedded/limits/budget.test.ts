import type { CallWait, RateWindow } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import {
  createRateState,
  markAnswered,
  markSent,
  removeSlot,
  reserve,
} from '../../../../src/core/pacing/rate-windows.ts'
import { openLimits } from '../../../../src/engine/embedded/limits/open-limits.ts'
import type { PermitRows } from '../../../../src/engine/embedded/limits/permit-rows.ts'
import { createRandom } from '../../../fuzz/random.ts'
import { createLimitsStage, machineMs } from '../support/limits-stage.ts'

const windows: readonly RateWindow[] = [{ max: 1, lengthMs: 200 }]

describe('the count that several share', () => {
  const marginMs = 30
  const three: readonly RateWindow[] = [
    { max: 3, lengthMs: 40 },
    { max: 7, lengthMs: 200 },
    { max: 20, lengthMs: 1000 },
  ]

  it.each([1, 2, 3, 4, 5])('is that of one who has it alone (reusable %i)', (reusable) => {
    const { dataDir } = createLimitsStage()
    const options = { marginMs, maxWaitMs: 0, onWarning: () => {} }
    const homes = [1, 2, 3].map(() => openLimits(dataDir, options))
    const { below: random, pick } = createRandom(reusable)
    /** Each change is a transaction of its own, in every process. */
    const inTurn = <Answer>(work: (rows: PermitRows) => Answer): Answer => {
      const { database, rows } = pick(homes)
      database.exec('BEGIN IMMEDIATE')
      const answer = work(rows)
      database.exec('COMMIT')
      return answer
    }
    let state = createRateState(marginMs)
    let now = 1000
    /** The number of each permit in the file, and alone. */
    const reserved = new Map<number, number>()
    const sent = new Map<number, number>()
    let refused = 0
    for (let step = 0; step < 2000; step++) {
      now += random(12)
      const kind = random(5)
      if (kind <= 1) {
        const permit = inTurn((rows) => rows.take('key', three, now))
        const alone = reserve(state, three, now, 1)
        state = alone.state
        if (typeof permit === 'object') {
          refused++
          expect(permit.untilMs).toBe(alone.isGranted ? 'now' : alone.untilMs)
          expect(permit.askAgainMs).toBeLessThanOrEqual(permit.untilMs)
        } else reserved.set(permit as number, alone.isGranted ? (alone.slots[0] as number) : Number.NaN)
        expect(typeof permit).toBe(alone.isGranted ? 'number' : 'object')
      } else if (kind === 2 && reserved.size > 0) {
        const [id, slot] = pick([...reserved])
        reserved.delete(id)
        sent.set(id, slot)
        inTurn((rows) => rows.markSent(id, now))
        state = markSent(state, slot, now)
      } else if (kind === 3 && sent.size > 0) {
        const [id, slot] = pick([...sent])
        sent.delete(id)
        inTurn((rows) => rows.markAnswered(id, now))
        state = markAnswered(state, slot, now)
      } else if (kind === 4 && reserved.size > 0 && random(3) === 0) {
        const [id, slot] = pick([...reserved])
        reserved.delete(id)
        inTurn((rows) => rows.free(id))
        state = removeSlot(state, slot)
      }
    }
    expect(refused).toBeGreaterThan(100)
    for (const { close } of homes) close()
  })
})

describe('a place', () => {
  it('that is not used is free for the others at once', async () => {
    const stage = createLimitsStage()
    const [one, two] = [stage.open(), stage.open()]
    const day = [{ max: 1, lengthMs: 86_400_000 }]
    const lease = await one.budget.acquire('key', day)
    const next = two.budget.acquire('key', day, { onWait: () => lease.cancel() })
    ;(await next).cancel()
  })

  it('is awaited by each caller with the reason, however many ask in the same transaction', async () => {
    const stage = createLimitsStage()
    const { budget } = stage.open()
    const day = [{ max: 1, lengthMs: 86_400_000 }]
    await budget.acquire('key', day)
    const stop = new AbortController()
    const reasons: string[][] = [[], [], []]
    const waiting = reasons.map((own) =>
      budget.acquire('key', day, { signal: stop.signal, onWait: ({ reason }) => own.push(reason) }),
    )
    await expect.poll(() => reasons.map(([first]) => first)).toEqual(['budget', 'budget', 'budget'])
    stop.abort()
    for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe('rejected')
  })

  it('is free one window after the answer, and not after the margin', async () => {
    // The margin is longer than the test may take.
    const stage = createLimitsStage(600_000)
    const [one, two] = [stage.open(), stage.open()]
    const lease = await one.budget.acquire('key', windows)
    lease.sent()
    const waits: CallWait[] = []
    const next = two.budget.acquire('key', windows, { onWait: (wait) => waits.push(wait) })
    await expect.poll(() => waits.length).toBe(1)
    const answeredAt = machineMs()
    lease.done()
    await next
    const tookMs = machineMs() - answeredAt
    expect(tookMs).toBeGreaterThan(200)
  })

  it('is left by a cancelled caller, and the next in line gets it', async () => {
    const stage = createLimitsStage()
    const [one, two, three] = [stage.open(), stage.open(), stage.open()]
    const lease = await one.budget.acquire('key', windows)
    lease.done()
    const stop = new AbortController()
    const left = two.budget.acquire('key', windows, { signal: stop.signal, onWait: () => stop.abort() })
    await expect(left).rejects.toMatchObject({ code: 'Cancelled', notSent: true })
    ;(await three.budget.acquire('key', windows)).cancel()
  })

  it('goes to each process: none waits until another one has made all of its calls', async () => {
    const stage = createLimitsStage()
    const short = [{ max: 1, lengthMs: 30 }]
    const order: string[] = []
    const greedy = async (name: string, calls: number): Promise<void> => {
      const { budget } = stage.open()
      await Promise.all(
        Array.from({ length: calls }, async () => {
          const lease = await budget.acquire('key', short)
          order.push(name)
          lease.sent()
          lease.done()
        }),
      )
    }
    await Promise.all(['a', 'b', 'c'].map((name) => greedy(name, 20)))
    for (const name of ['a', 'b', 'c']) expect(order.slice(0, 40)).toContain(name)
  })

  it('goes by priority and then in order within a process', async () => {
    const stage = createLimitsStage()
    const { budget } = stage.open()
    const lease = await budget.acquire('key', windows)
    const order: number[] = []
    const waiting = [0, 1, 2, 2].map(async (priority, place) => {
      const mine = await budget.acquire('key', windows, { priority })
      order.push(place)
      mine.cancel()
    })
    lease.cancel()
    await Promise.all(waiting)
    // The first one is at the head before the others come.
    expect(order).toEqual([0, 2, 3, 1])
  })
})

describe('a pause', () => {
  it('holds for everybody, with its reason', async () => {
    const stage = createLimitsStage()
    const [one, two] = [stage.open(), stage.open()]
    await one.budget.acquire('other', windows)
    const from = machineMs()
    one.budget.pause('key', performance.timeOrigin + performance.now() + 250)
    await one.budget.acquire('other', [])
    ;(await two.budget.acquire('key', windows)).cancel()
    expect(machineMs() - from).toBeGreaterThan(249)
    one.budget.pause('key', performance.timeOrigin + performance.now() + 60_000)
    await one.budget.acquire('other', [])
    const waits: CallWait[] = []
    const stop = new AbortController()
    const onWait = (wait: CallWait): void => {
      waits.push(wait)
      stop.abort()
    }
    const waiting = two.budget.acquire('key', windows, { signal: stop.signal, onWait })
    await expect(waiting).rejects.toMatchObject({ code: 'Cancelled' })
    expect(waits).toMatchObject([{ reason: 'throttle', untilMs: expect.any(Number) }])
  })

  it('that is longer than a caller may wait is its error', async () => {
    const stage = createLimitsStage()
    const { budget } = stage.open()
    budget.pause('key', performance.timeOrigin + performance.now() + 60_000)
    const refused = budget.acquire('key', [], { maxWaitMs: 1000 })
    await expect(refused).rejects.toMatchObject({ code: 'RequestTooFrequently', notSent: true })
  })
})
