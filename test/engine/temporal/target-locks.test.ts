import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { LimiterPort } from '../../../src/engine/temporal/limiter/limiter-port.ts'
import { type TargetOrder, targetNewsUpdate } from '../../../src/engine/temporal/limiter/messages.ts'
import {
  createSharedTargetLocks,
  type SharedTargetLocks,
} from '../../../src/engine/temporal/limiter/shared-target-locks.ts'
import {
  createTargetTable,
  newsFor,
  obeyTargets,
  type TargetTable,
} from '../../../src/engine/temporal/workflow/target-table.ts'

interface Asked {
  readonly order: TargetOrder
  readonly answer: (answer: unknown) => void
}

/** What a process asks lies here until it is answered. */
function openPost(): { port: LimiterPort; next(kind: 'order' | 'news'): Promise<Asked> } {
  const asked = { order: [] as Asked[], news: [] as Asked[] }
  const wanted: { order?: (() => void) | undefined; news?: (() => void) | undefined } = {}
  const port: LimiterPort = {
    ask(update, order, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        const kind = update === targetNewsUpdate ? 'news' : 'order'
        asked[kind].push({ order: order as TargetOrder, answer: resolve as (answer: unknown) => void })
        wanted[kind]?.()
      })
    },
    async tell() {},
  }
  return {
    port,
    async next(kind) {
      while (asked[kind].length === 0) {
        await new Promise<void>((resolve) => {
          wanted[kind] = resolve
        })
      }
      return asked[kind].shift() as Asked
    },
  }
}

/** Nobody has all targets: B has one of its own. */
function tableWithB(): TargetTable {
  const table = createTargetTable()
  obeyTargets(table, { process: 'B', take: ['own'], free: [] }, 0)
  obeyTargets(table, { process: 'A', take: [], free: [] }, 0)
  obeyTargets(table, { process: 'B', take: [], free: [], yields: ['own'] }, 0)
  return table
}

let locks: SharedTargetLocks | undefined
afterEach(() => locks?.close())

describe('a target that is wanted again after a wait was given up', () => {
  it('is not given back when the first order is granted', async () => {
    const table = tableWithB()
    const post = openPost()
    locks = createSharedTargetLocks(post.port, 'A')
    const stop = new AbortController()
    const first = locks.acquire('T', { signal: stop.signal })
    const order = await post.next('order')
    stop.abort()
    await expect(first).rejects.toMatchObject({ code: 'Cancelled' })
    const second = locks.acquire('T')
    await turn()
    order.answer(obeyTargets(table, order.order, 0))
    await second
    obeyTargets(table, { process: 'B', take: ['T'], free: [] }, 0)
    const later = await post.next('order')
    expect(later.order).toMatchObject({ free: [], held: ['T'] })
    obeyTargets(table, later.order, 0)
    expect(newsFor(table, 'B', 0)).toBeUndefined()
    expect(table.holders['T']).toBe('A')
  })

  it('is not had by news from before', async () => {
    const table = tableWithB()
    obeyTargets(table, { process: 'B', take: ['T'], free: [] }, 0)
    const post = openPost()
    locks = createSharedTargetLocks(post.port, 'A')
    const stop = new AbortController()
    const first = locks.acquire('T', { signal: stop.signal })
    const order = await post.next('order')
    order.answer(obeyTargets(table, order.order, 0))
    const listening = await post.next('news')
    obeyTargets(table, { process: 'B', take: [], free: ['T'] }, 0)
    const oldNews = newsFor(table, 'A', 0)
    expect(oldNews).toEqual({ granted: ['T'] })
    stop.abort()
    await expect(first).rejects.toMatchObject({ code: 'Cancelled' })
    let isHeld = false
    void locks.acquire('T').then(
      () => {
        isHeld = true
      },
      () => {},
    )
    const giving = await post.next('order')
    obeyTargets(table, { process: 'B', take: ['T'], free: [] }, 0)
    const given = obeyTargets(table, giving.order, 0)
    expect(newsFor(table, 'B', 0)).toEqual({ granted: ['T'] })
    listening.answer(oldNews)
    await post.next('news')
    giving.answer(given)
    const again = await post.next('order')
    again.answer(obeyTargets(table, again.order, 0))
    await turn()
    expect(isHeld).toBe(false)
    expect(table.holders['T']).toBe('B')
  })
})

describe('a process that was not heard of for long', () => {
  const longAfter = 60_000

  it('has again what it uses and nobody else took', () => {
    const table = tableWithB()
    obeyTargets(table, { process: 'A', take: ['T'], free: [] }, 0)
    obeyTargets(table, { process: 'B', take: [], free: [], held: ['own'] }, longAfter)
    obeyTargets(table, { process: 'A', take: [], free: [], held: ['T', 'own'] }, longAfter)
    expect(table.holders).toEqual({ own: 'B', T: 'A' })
    expect(obeyTargets(table, { process: 'B', take: ['T'], free: [] }, longAfter).granted).toEqual([])
  })

  it('makes the one that has all targets by now share them', () => {
    const table = tableWithB()
    obeyTargets(table, { process: 'A', take: ['T'], free: [] }, 0)
    obeyTargets(table, { process: 'B', take: ['x'], free: [] }, longAfter)
    obeyTargets(table, { process: 'A', take: [], free: [], held: ['T'] }, longAfter)
    expect(newsFor(table, 'B', longAfter)).toMatchObject({ yield: true })
    obeyTargets(table, { process: 'B', take: ['T'], free: [], yields: ['x'] }, longAfter)
    expect(newsFor(table, 'A', longAfter)).toEqual({ granted: ['T'] })
    expect(table.holders).toEqual({ x: 'B', T: 'A' })
  })
})
