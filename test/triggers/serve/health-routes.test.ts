import fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { addHealthRoutes } from '../../../src/triggers/serve/health-routes.ts'

test('many requests to /readyz at the same time are one look at the disk', async () => {
  let looks = 0
  const app = fastify()
  onTestFinished(() => app.close())
  addHealthRoutes(app, {
    whyNotReady: async () => {
      looks++
      return 'the disk is full'
    },
    metrics: () => '',
  })
  const answers = await Promise.all(Array.from({ length: 50 }, () => app.inject('/readyz')))
  expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`))).toEqual(
    new Set(['503 not ready: the disk is full\n']),
  )
  expect(looks).toBe(1)
})
