import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import type { RateWindow } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { mostIn } from '../../../core/most-in.ts'
import { openSandbox } from '../../../sandbox/open-sandbox.ts'
import type { Child } from '../support/child.ts'
import { createLimitsStage, type LimitsStage, machineMs } from '../support/limits-stage.ts'

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

  it('are never refused by the service, nor meet at a target', async () => {
    const sandbox = await openSandbox({ latencyMs: 5 })
    const stage = createLimitsStage(10_000)
    const children = [1, 2, 3].map(() => stage.child({ url: sandbox.url, calls: 5 }))
    await Promise.all(children.map(done))
    const { requests } = await sandbox.control('requests')
    const codes: readonly string[] = requests.map(({ code }: { code: string }) => code)
    expect(codes).toEqual(Array(30).fill('OK'))
    await sandbox.close()
  })
})

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
  const isInLine = ({ dataDir }: LimitsStage): boolean => {
    const database = new DatabaseSync(join(dataDir, 'limits.db'), { readOnly: true })
    const row = database.prepare('SELECT count(*) AS count FROM waiting').get()
    database.close()
    return Number(row?.['count']) > 0
  }

  /** While the file is locked: one that is stopped inside a transaction keeps everybody out for as long as it lives. */
  const stopBetweenWrites = ({ dataDir }: LimitsStage, child: Child): void => {
    const database = new DatabaseSync(join(dataDir, 'limits.db'), { timeout: 10_000 })
    database.exec('BEGIN IMMEDIATE')
    child.stop()
    database.exec('ROLLBACK')
    database.close()
  }

  it('is passed by while it waits in line', async () => {
    const stage = createLimitsStage()
    const [one, two] = [stage.open(), stage.open()]
    const release = await one.targetLocks.acquire('web-01')
    const child = stage.child({ target: 'web-01' })
    await expect.poll(() => isInLine(stage)).toBe(true)
    stopBetweenWrites(stage, child)
    const next = two.targetLocks.acquire('web-01')
    release()
    ;(await next)()
  })

  it('keeps the target that it has', async () => {
    const stage = createLimitsStage()
    const child = stage.child({ target: 'web-01' })
    await done(child)
    // It has written all that it writes.
    child.stop()
    const { budget, targetLocks } = stage.open()
    let isTaken = false
    const mine = targetLocks.acquire('web-01').then(() => {
      isTaken = true
    })
    // Longer than it takes to be passed by in a line.
    const half = [{ max: 1, lengthMs: 600 }]
    for (let made = 0; made < 2; made++) (await budget.acquire('key', half)).sent()
    expect(isTaken).toBe(false)
    await child.kill()
    await mine
  })
})
