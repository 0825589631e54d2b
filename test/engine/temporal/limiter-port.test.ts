import { afterEach, describe, expect, it } from 'vitest'
import { connectClient } from '../../../src/engine/temporal/index.ts'
import { createLimiterClient } from '../../../src/engine/temporal/limits/limiter-client.ts'
import {
  createLimiterPort,
  createOutageWarning,
  isTransient,
  refusal,
} from '../../../src/engine/temporal/limits/limiter-port.ts'
import { createSharedRateBudget } from '../../../src/engine/temporal/limits/shared-rate-budget.ts'
import { createSharedTargetLocks } from '../../../src/engine/temporal/limits/shared-target-locks.ts'
import { answerGrpc } from './support/grpc-answers.ts'

const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** The limits of a process whose server answers everything with one code. */
async function openLimits(code: number, reason: string, warnAfterMs?: number) {
  const server = await answerGrpc(code, reason)
  closing.push(() => server.close())
  const settings = { address: server.address, namespace: 'default', taskQueue: 'q' }
  const client = await connectClient(settings)
  closing.unshift(() => client.connection.close())
  const warnings: string[] = []
  const outage = createOutageWarning('the limiter', (message) => warnings.push(message), warnAfterMs)
  const port = createLimiterPort({ client, settings, workflowId: 'limiter/1', outage })
  const limiter = createLimiterClient(port)
  closing.unshift(() => limiter.close())
  const targetLocks = createSharedTargetLocks({
    process: 'process',
    send: async (target) => {
      await client.workflow.signalWithStart('any', { workflowId: target, taskQueue: 'q', signal: 'want' })
    },
    refusal: (thrown) => refusal(thrown, 'the target lock', settings),
    outage,
  })
  closing.unshift(() => targetLocks.close())
  return { server, budget: createSharedRateBudget(() => limiter), targetLocks, warnings }
}

const windows = [{ max: 1, lengthMs: 1000 }]

describe.each([
  ['invalid argument', 3, 'InternalDefect', 'refuses a request: no such thing'],
  ['denied', 7, 'TemporalDenied', 'no such thing'],
  ['unimplemented', 12, 'InternalDefect', 'refuses a request: no such thing'],
  ['internal', 13, 'TemporalUnavailable', 'no such thing'],
  ['unauthenticated', 16, 'TemporalDenied', 'no such thing'],
])('a request that the server answers with %s', (_, code, errorCode, message) => {
  const expected = { code: errorCode, message: expect.stringContaining(message), notSent: true }

  it('fails the call that waits for a permit', async () => {
    const { budget } = await openLimits(code, 'no such thing')
    await expect(budget.acquire('key', windows)).rejects.toMatchObject(expected)
  })

  it('fails the call that waits for its target', async () => {
    const { targetLocks } = await openLimits(code, 'no such thing')
    await expect(targetLocks.acquire('web-01')).rejects.toMatchObject(expected)
  })
})

it('all calls that wait for a refused limiter fail, and not the first of them alone', async () => {
  const { budget } = await openLimits(7, 'no')
  const calls = Array.from({ length: 3 }, () => budget.acquire('key', windows))
  const ends = await Promise.allSettled(calls)
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
})

// The client of Temporal sends those again that are left out here: it takes seconds to give them up.
it.each([
  ['cancelled', 1],
  ['deadline exceeded', 4],
  ['not found', 5],
  ['failed precondition', 9],
])(
  'a request that the server answers with %s is sent again, and a long outage is warned of once',
  async (_, code) => {
    const { server, budget, warnings } = await openLimits(code, 'not now', 100)
    const cancelling = new AbortController()
    const call = budget.acquire('key', windows, { signal: cancelling.signal })
    await expect.poll(() => warnings.length).toBe(1)
    const called = server.called.length
    await expect.poll(() => server.called.length).toBeGreaterThan(called + 1)
    cancelling.abort()
    await expect(call).rejects.toMatchObject({ code: 'Cancelled' })
    expect(warnings).toEqual([expect.stringContaining('no answer from the limiter for 0 s')])
  },
)

it.each([
  [8, true],
  [10, true],
  [14, true],
  [2, false],
  [undefined, false],
])('of an error with the code %s, whether it may pass is %s', (code, expected) => {
  const cause = Object.assign(new Error('not now'), { code, details: 'not now' })
  expect(isTransient(new Error('failed', { cause }))).toBe(expected)
})
