import fastify from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { addHealthRoutes } from '../../../src/triggers/server/create-app.ts'

test('many requests to /readyz at the same time are one look at the disk', async () => {
  let looks = 0
  let look = (): void => {}
  const app = fastify()
  onTestFinished(() => app.close())
  addHealthRoutes(app, {
    whyNotReady: async () => {
      looks++
      await new Promise<void>((resolve) => {
        look = resolve
      })
      return 'the disk is full'
    },
    metrics: async () => '',
  })
  let asked = 0
  app.addHook('onRequest', async () => {
    asked++
  })
  const asking = Promise.all(Array.from({ length: 50 }, () => app.inject('/readyz')))
  await expect.poll(() => asked).toBe(50)
  look()
  const answers = await asking
  expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`))).toEqual(
    new Set(['503 not ready: the disk is full\n']),
  )
  expect(looks).toBe(1)
})

test('/readyz answers from a result of the last 5 s', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let looks = 0
  const reasons = ['the disk is full', undefined]
  const app = fastify()
  onTestFinished(() => app.close())
  addHealthRoutes(app, { whyNotReady: async () => reasons[looks++], metrics: async () => '' })
  const statusAfter = async (timeMs: number): Promise<number> => {
    vi.advanceTimersByTime(timeMs)
    return (await app.inject('/readyz')).statusCode
  }
  expect([await statusAfter(0), await statusAfter(999), looks]).toEqual([503, 503, 1])
  expect([await statusAfter(1), await statusAfter(999), looks]).toEqual([200, 200, 2])
})
