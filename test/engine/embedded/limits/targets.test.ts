import { expect, it } from 'vitest'
import { expectNoSharedTarget } from '../../../api/expect-no-shared-target.ts'
import { createLimitsStage } from '../support/limits-stage.ts'

it('a target is never granted twice, nor lost, whichever caller is cancelled', async () => {
  const stage = createLimitsStage()
  await expectNoSharedTarget(
    [1, 2, 3].map(() => stage.open().targetLocks),
    120,
  )
})

it('no process waits until another one has made all of its calls of a target', async () => {
  const stage = createLimitsStage()
  const order: string[] = []
  const hold = async (name: string): Promise<void> => {
    const { targetLocks } = stage.open()
    const calls = Array.from({ length: 40 }, async () => {
      const release = await targetLocks.acquire('web-01')
      order.push(name)
      await new Promise(setImmediate)
      release()
    })
    await Promise.all(calls)
  }
  await Promise.all([hold('a'), hold('b')])
  expect(new Set(order.slice(0, 40))).toEqual(new Set(['a', 'b']))
})

it('within a process, a target goes by priority and then in order', async () => {
  const { targetLocks } = createLimitsStage().open()
  const release = await targetLocks.acquire('web-01')
  const order: number[] = []
  const waiting = [0, 1, 1].map(async (priority, place) => {
    const free = await targetLocks.acquire('web-01', { priority })
    order.push(place)
    free()
  })
  release()
  await Promise.all(waiting)
  expect(order).toEqual([1, 2, 0])
})

it('targets do not wait for each other, and a cancelled caller is notified', async () => {
  const stage = createLimitsStage()
  const [one, two] = [stage.open(), stage.open()]
  const releases = await Promise.all(['a', 'b'].map((key) => one.targetLocks.acquire(key)))
  ;(await two.targetLocks.acquire('c'))()
  const stop = new AbortController()
  let waits = 0
  const left = two.targetLocks.acquire('a', { signal: stop.signal, onWait: () => waits++ })
  await expect.poll(() => waits).toBe(1)
  stop.abort()
  await expect(left).rejects.toMatchObject({ code: 'Cancelled', notSent: true })
  const next = two.targetLocks.acquire('a')
  for (const release of releases) release()
  ;(await next)()
})

it('what a process still has when it closes is free', async () => {
  const stage = createLimitsStage()
  const [one, two] = [stage.open(), stage.open()]
  await one.targetLocks.acquire('a')
  one.close()
  ;(await two.targetLocks.acquire('a'))()
})
