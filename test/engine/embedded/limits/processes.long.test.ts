import type { RateWindow } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { mostIn } from '../../../core/most-in.ts'
import { openSandbox } from '../../../sandbox/open-sandbox.ts'
import type { Child } from '../support/child.ts'
import { createLimitsStage, machineMs } from '../support/limits-stage.ts'

const done = (child: Child): Promise<Readonly<Record<string, unknown>>> =>
  child.line(({ type }) => type === 'done')

describe('processes that call together', () => {
  const windows: readonly RateWindow[] = [
    { max: 4, lengthMs: 100 },
    { max: 12, lengthMs: 500 },
  ]

  it('keep every window, whatever their clocks say', async () => {
    // A process that gets no turn for a while counts late: no window is promised to a call that is longer on its way.
    const stage = createLimitsStage(10_000)
    const calls = 14
    const ahead = [0, 3_600_000, -3_600_000]
    const children = ahead.map((clockAheadMs) => stage.child({ windows, calls, clockAheadMs }))
    await Promise.all(children.map(done))
    const counted = children
      .flatMap((child) => child.lines(({ type }) => type === 'counted'))
      .map(({ at }) => Number(at))
    expect(counted).toHaveLength(3 * calls)
    for (const { max, lengthMs } of windows) expect(mostIn(counted, lengthMs)).toBeLessThanOrEqual(max)
  })

  it('are never refused by the service', async () => {
    const sandbox = await openSandbox({ latencyMs: 5 })
    const stage = createLimitsStage(10_000)
    const children = Array.from({ length: 10 }, () => stage.child({ url: sandbox.url, calls: 5 }))
    await Promise.all(children.map(done))
    expect(await codesOf(sandbox)).toEqual(Array(100).fill('OK'))
    await sandbox.close()
  })

  it('never have a target together, also when one is killed that has it', async () => {
    const stage = createLimitsStage()
    const killed = stage.child({ target: 'web-01' })
    await done(killed)
    const children = [1, 2, 3, 4].map(() => stage.child({ target: 'web-01', holds: 15 }))
    await killed.kill()
    await Promise.all(children.map(done))
    const held = children
      .flatMap((child) => child.lines(({ type }) => type === 'held'))
      .map(({ from, to }) => ({ from: Number(from), to: Number(to) }))
      .sort((one, other) => one.from - other.from)
    expect(held).toHaveLength(60)
    expect(held.filter(({ to }, place) => to > (held[place + 1]?.from ?? to))).toEqual([])
  })

  it('are not refused either when some of them are killed at their calls, and others come', async () => {
    const sandbox = await openSandbox({ latencyMs: 20 })
    const stage = createLimitsStage(10_000)
    const start = (): Child => stage.child({ url: sandbox.url, calls: 4 })
    const survivors = Array.from({ length: 3 }, start)
    const killed = Array.from({ length: 3 }, start).map(async (child) => {
      await child.line(({ type }) => type === 'called')
      await child.kill()
      await done(start())
    })
    await Promise.all([...survivors.map(done), ...killed])
    const codes = await codesOf(sandbox)
    expect(codes).not.toContain('RequestTooFrequently')
    expect(codes.filter((code) => code === 'OK').length).toBeGreaterThanOrEqual(48)
    await sandbox.close()
  })
})

async function codesOf(sandbox: Awaited<ReturnType<typeof openSandbox>>): Promise<readonly string[]> {
  const { requests } = await sandbox.control('requests?limit=1000')
  return requests.map(({ code }: { code: string }) => code)
}

describe('a process that is killed', () => {
  const windows: readonly RateWindow[] = [{ max: 1, lengthMs: 300 }]

  it.each([
    { unsent: 1, sent: 0 },
    { unsent: 0, sent: 1 },
  ] as const)('frees %o one window later', async (keep) => {
    const stage = createLimitsStage()
    const child = stage.child({ windows, keep })
    await done(child)
    const { budget } = stage.open()
    const waits: unknown[] = []
    const place = budget.acquire('key', windows, { onWait: (wait) => waits.push(wait) })
    await expect.poll(() => waits.length).toBe(1)
    const lastAt =
      keep.unsent > 0 ? machineMs() : Number(child.lines(({ type }) => type === 'sends')[0]?.['at'])
    await child.kill()
    await place
    expect(machineMs() - lastAt).toBeGreaterThan(300)
  })

  it('keeps what it has not sent for as long as it lives', async () => {
    const stage = createLimitsStage()
    const child = stage.child({ windows, keep: { unsent: 1, sent: 0 } })
    const { at } = await done(child)
    const { budget } = stage.open()
    await budget.acquire('other', [{ max: 1, lengthMs: 500 }]).then((lease) => lease.done())
    await budget.acquire('other', [{ max: 1, lengthMs: 500 }])
    expect(machineMs() - Number(at)).toBeGreaterThan(500)
    const refused = budget.acquire('key', windows, { maxWaitMs: 0 })
    await expect(refused).rejects.toMatchObject({ code: 'RequestTooFrequently', notSent: true })
  })

  it('frees its target', async () => {
    const stage = createLimitsStage()
    const child = stage.child({ target: 'web-01' })
    await done(child)
    const { targetLocks } = stage.open()
    let waits = 0
    const mine = targetLocks.acquire('web-01', { onWait: () => waits++ })
    await expect.poll(() => waits).toBe(1)
    await child.kill()
    const free = await mine
    free()
    expect(waits).toBe(1)
  })
})

describe('a process that is stopped', () => {
  it('is passed by while it waits for a target', async () => {
    const stage = createLimitsStage()
    const [one, two] = [stage.open(), stage.open()]
    const release = await one.targetLocks.acquire('web-01')
    const child = stage.child({ target: 'web-01' })
    await child.line(({ type }) => type === 'waits')
    child.stop()
    const next = two.targetLocks.acquire('web-01')
    release()
    ;(await next)()
  })

  it('keeps the target that it has', async () => {
    const stage = createLimitsStage()
    const child = stage.child({ target: 'web-01' })
    await done(child)
    child.stop()
    const { budget, targetLocks } = stage.open()
    let isTaken = false
    const mine = targetLocks.acquire('web-01').then(() => {
      isTaken = true
    })
    // Longer than any time between two attempts.
    const half = [{ max: 1, lengthMs: 600 }]
    for (let made = 0; made < 2; made++) (await budget.acquire('key', half)).sent()
    expect(isTaken).toBe(false)
    await child.kill()
    await mine
  })
})
