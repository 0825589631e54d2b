import {
  type CallWait,
  type Client,
  type ClientOptions,
  createRateBudget,
  createTargetLocks,
  RunbookError,
} from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { mostIn } from '../core/most-in.ts'
import { expectNoSharedTarget } from './expect-no-shared-target.ts'
import { type Answering, clientOf, type StandIn, sendError, startSockets, startStandIn } from './stand-in.ts'

const agent = { agent_name: 'a', instructions: 'b', card_url: 'https://agents.example.com/card.json' }
const rules = { application_id: 'a' }
const slow = (perSecond: number): Partial<ClientOptions> => ({
  limits: { listIngestionRules: { perSecond } },
})

const arrivals = ({ received }: StandIn): readonly number[] => received.map(({ arrivedAt }) => arrivedAt)

/** Answers when the test releases it. */
function held(data: unknown = { items: [] }): {
  answering: Answering
  release: () => void
  waiting: () => number
} {
  const releases: (() => void)[] = []
  return {
    answering: () => new Promise((resolve) => releases.push(() => resolve(data))),
    release: () => releases.shift()?.(),
    waiting: () => releases.length,
  }
}

describe('the rate limit', () => {
  it('is kept at the service, and used', async () => {
    const service = await startStandIn(() => ({ items: [] }))
    const client = service.client(slow(5))
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: 12 }, () => client.listIngestionRules(rules)))
    expect(performance.now() - startedAt).toBeGreaterThan(2000)
    expect(mostIn(arrivals(service), 1000)).toBe(5)
  })

  it('says that a call waits, and until when', async () => {
    const service = await startStandIn(() => ({ items: [] }))
    const client = service.client(slow(1))
    const waits: CallWait[] = []
    const onWait = (wait: CallWait): void => {
      waits.push(wait)
    }
    await client.listIngestionRules(rules, { onWait })
    expect(waits).toEqual([])
    const askedAt = Date.now()
    await client.listIngestionRules(rules, { onWait })
    expect(waits).toEqual([{ reason: 'budget', untilMs: expect.any(Number) }])
    const { untilMs = 0 } = waits[0] ?? {}
    expect(untilMs).toBeGreaterThan(askedAt)
    expect(untilMs).toBeLessThanOrEqual(Date.now())
  })

  it('is shared by clients with one account and one budget', async () => {
    const service = await startStandIn(() => ({ items: [] }))
    const budget = createRateBudget()
    const clients = ['key-1', 'key-2'].map((appKey) =>
      service.client({ ...slow(3), budget, account: 'acme', appKey }),
    )
    await Promise.all(clients.flatMap((client) => [1, 2, 3].map(() => client.listIngestionRules(rules))))
    expect(mostIn(arrivals(service), 1000)).toBe(3)
  })

  it('that is used up for longer than the wait that is allowed is an error at once', async () => {
    const service = await startStandIn(() => ({ items: [] }))
    const client = service.client({ limits: { listIngestionRules: { perDay: 2 } } })
    for (let made = 0; made < 2; made++) await client.listIngestionRules(rules)
    const error = (await client.listIngestionRules(rules).catch((error: unknown) => error)) as RunbookError
    expect(error).toMatchObject({ code: 'RequestTooFrequently', notSent: true })
    expect(error.retryAfterMs).toBeGreaterThan(86_000_000)
    expect(service.received).toHaveLength(2)
  })

  it('gives a place back that was not used', async () => {
    const service = await startStandIn(() => ({ items: [] }))
    const budget = createRateBudget()
    const options = { limits: { listIngestionRules: { perDay: 1 } }, budget, account: 'acme', maxWaitMs: 0 }
    const unreachable = service.client({ ...options, baseUrl: 'http://127.0.0.1:1' })
    await expect(unreachable.listIngestionRules(rules)).rejects.toMatchObject({ code: 'ConnectionRefused' })
    expect(await service.client(options).listIngestionRules(rules)).toMatchObject({ requestId: 'req-1' })
  })

  it('lets calls of a higher priority go first', async () => {
    const service = await startStandIn(() => ({ items: [] }))
    const client = service.client({ limits: { listIngestionRules: { perSecond: 1 } } })
    const priorities = [0, 0, 0, 1, 5]
    await Promise.all(
      priorities.map((priority, index) =>
        client.listIngestionRules({ application_id: `${priority}-${index}` }, { priority }),
      ),
    )
    const order = service.received.map(({ body }) => JSON.parse(body).application_id)
    // The first goes at once and the second is at the head already.
    expect(order).toEqual(['0-0', '0-1', '5-4', '1-3', '0-2'])
  })

  it('can be left waiting for', async () => {
    const service = await startStandIn(() => ({ items: [] }))
    const client = service.client({ limits: { listIngestionRules: { perMinute: 1 } } })
    await client.listIngestionRules(rules)
    const stop = new AbortController()
    const calls = [1, 2, 3].map(() => client.listIngestionRules(rules, { signal: stop.signal }))
    stop.abort(new Error('enough'))
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({
        code: 'Cancelled',
        notSent: true,
        cause: { message: 'enough' },
      })
    }
    expect(service.received).toHaveLength(1)
  })
})

describe('a budget', () => {
  const windows = [{ max: 1, lengthMs: 60_000 }]

  it('gives the place of a cancelled call to the next at once', async () => {
    const budget = createRateBudget()
    const lease = await budget.acquire('key', windows)
    const next = budget.acquire('key', windows, { onWait: () => setImmediate(lease.cancel) })
    expect(await next).toMatchObject({ cancel: expect.any(Function) })
  })

  it('counts each key for itself', async () => {
    const budget = createRateBudget()
    for (const key of ['one', 'two', 'three']) await budget.acquire(key, windows)
    await expect(budget.acquire('two', windows, { maxWaitMs: 10 })).rejects.toMatchObject({
      code: 'RequestTooFrequently',
    })
  })
})

describe('RequestTooFrequently', () => {
  it('is waited out for as long as the service says, by every caller', async () => {
    const service = await startStandIn((_received, response, count) => {
      if (count > 1) return { items: [] }
      response.setHeader('retry-after', '1')
      sendError(response, 'RequestTooFrequently', 429)
      return undefined
    })
    const client = service.client({ limits: 'off' })
    const waits: string[] = []
    const first = client.listIngestionRules(rules, { onWait: ({ reason }) => waits.push(reason) })
    await expect.poll(() => waits.length).toBeGreaterThan(0)
    await Promise.all([first, client.listIngestionRules(rules)])
    const [refused, ...later] = arrivals(service)
    for (const arrivedAt of later) expect(arrivedAt - (refused ?? 0)).toBeGreaterThan(950)
    // Once the pause is over the two may still queue behind one another: only the first reason is certain.
    expect(waits[0]).toBe('throttle')
  })

  it('pauses its own operation only', async () => {
    const service = await startStandIn(({ url }, response) => {
      if (url.includes('agent')) return { agent_id: 'x' }
      response.setHeader('retry-after', '3600')
      sendError(response, 'RequestTooFrequently', 429)
      return undefined
    })
    const client = service.client({ limits: 'off', maxWaitMs: 1000 })
    await expect(client.listIngestionRules(rules)).rejects.toMatchObject({ code: 'RequestTooFrequently' })
    expect(await client.createAgent(agent)).toMatchObject({ data: { agent_id: 'x' } })
    const paused = (await client.listIngestionRules(rules).catch((error: unknown) => error)) as RunbookError
    expect(paused).toMatchObject({ code: 'RequestTooFrequently', notSent: true })
    expect(paused.retryAfterMs).toBeGreaterThan(3_590_000)
    expect(service.received).toHaveLength(2)
  })

  it('is waited out without a word from the service, with growing pauses', async () => {
    const service = await startStandIn((_received, response, count) => {
      if (count > 1) return { agent_id: 'x' }
      sendError(response, 'RequestTooFrequently', 429)
      return undefined
    })
    // A create too: the refusal proves that nothing was done.
    expect(await service.client().createAgent(agent)).toMatchObject({ requestId: 'req-2' })
  })

  const dayMs = 86_400_000
  const inAnHour = new Date(Date.now() + 3_600_000)
  it.each<[name: string, headers: Record<string, string>, least: number | undefined, most?: number]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['a part of a second', { 'Retry-After': '0.5' }, 500],
    ['a date', { 'retry-after': inAnHour.toUTCString() }, 3_500_000, 3_600_000],
    ['a date in the past', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, undefined],
    ['no time at all', { 'retry-after': '0' }, 0],
    ['a reset in the past', { 'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) - 30) }, undefined],
    ['a reset in the past in ms', { 'x-ratelimit-reset': String(Date.now() - 30_000) }, undefined],
    ['a reset that is no time', { 'x-ratelimit-reset': '0' }, undefined],
    [
      'a date in the past and a reset',
      { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT', 'x-ratelimit-reset': '12' },
      12_000,
    ],
    ['an empty text and a reset', { 'retry-after': '', 'x-ratelimit-reset': '12' }, 12_000],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['a negative time', { 'retry-after': '-5' }, undefined],
    ['a hundred years', { 'retry-after': '3153600000' }, dayMs],
    ['nothing', {}, undefined],
    ['seconds to a reset', { 'x-ratelimit-reset': '12' }, 12_000],
    [
      'the time of a reset',
      { 'x-ratelimit-reset': String(Math.ceil(inAnHour.getTime() / 1000)) },
      3_500_000,
      3_601_000,
    ],
    ['the time of a reset in ms', { 'x-ratelimit-reset': String(inAnHour.getTime()) }, 3_500_000, 3_600_000],
    ['both', { 'retry-after': '1', 'x-ratelimit-reset': '12' }, 1000],
  ])('says how long to wait: %s', async (_, headers, least, most = least) => {
    const service = await startStandIn((_received, response) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      sendError(response, 'RequestTooFrequently', 429)
    })
    const call = service.client().attempt('listIngestionRules', rules)
    const { retryAfterMs } = (await call.catch((error: unknown) => error)) as RunbookError
    if (least === undefined) expect(retryAfterMs).toBeUndefined()
    else {
      expect(retryAfterMs).toBeGreaterThanOrEqual(least)
      expect(retryAfterMs).toBeLessThanOrEqual(most ?? least)
    }
  })
})

describe('calls to one target', () => {
  const call = { target_locator: 'web-01', tools: [{ tool: 't' }] }
  const data = { results: [{ tool: 't', data: { data: {} }, error: null }], error: null }

  it('go one at a time, for all clients with the same locks', async () => {
    const { answering, release, waiting } = held(data)
    const service = await startStandIn(answering)
    const targetLocks = createTargetLocks()
    const [one, two] = [1, 2].map(() => service.client({ targetLocks, account: 'acme' }))
    const waits: CallWait[] = []
    const calls = [
      one?.invokeTools(call),
      two?.attempt('invokeTools', call, { onWait: (wait) => waits.push(wait) }),
      one?.invokeTools({ ...call, target_locator: 'web-02' }),
    ]
    await expect.poll(waiting).toBe(2)
    expect(waits).toEqual([{ reason: 'target' }])
    expect(service.received.map(({ body }) => JSON.parse(body).target_locator).sort()).toEqual([
      'web-01',
      'web-02',
    ])
    release()
    release()
    await expect.poll(() => service.received.length).toBe(3)
    release()
    await Promise.all(calls)
  })

  it('do not wait for one that was cancelled', async () => {
    const { answering, release, waiting } = held(data)
    const service = await startStandIn(answering)
    const client = service.client()
    const stop = new AbortController()
    const first = client.invokeTools(call)
    await expect.poll(waiting).toBe(1)
    const second = client.invokeTools(call, { signal: stop.signal })
    const third = client.invokeTools(call)
    stop.abort()
    await expect(second).rejects.toMatchObject({ code: 'Cancelled', notSent: true })
    release()
    await first
    await expect.poll(waiting).toBe(1)
    release()
    await third
    expect(service.received).toHaveLength(2)
  })
})

it('a target is never granted twice, nor lost, whichever caller is cancelled', () =>
  expectNoSharedTarget([createTargetLocks()], 500))

describe('requests at the same time', () => {
  it('are as many as is said', async () => {
    const { answering, release, waiting } = held()
    const service = await startStandIn(answering)
    const client = service.client({ concurrency: 2, limits: 'off' })
    const calls = Array.from({ length: 5 }, () => client.listIngestionRules(rules))
    await expect.poll(waiting).toBe(2)
    expect(service.received).toHaveLength(2)
    for (let answered = 0; answered < 5; answered++) {
      await expect.poll(waiting).toBeGreaterThan(0)
      release()
    }
    await Promise.all(calls)
    expect(service.received).toHaveLength(5)
  })
})

it('one signal may end a hundred calls', async () => {
  const warnings: unknown[] = []
  const onWarning = (warning: Error): unknown => warnings.push(warning)
  process.on('warning', onWarning)
  const { answering, waiting } = held()
  const service = await startStandIn(answering)
  const client = service.client({ limits: 'off', concurrency: 50 })
  const stop = new AbortController()
  const calls = Array.from({ length: 100 }, () => client.listIngestionRules(rules, { signal: stop.signal }))
  await expect.poll(waiting).toBe(50)
  stop.abort()
  const ends = await Promise.allSettled(calls)
  expect(ends.map((end) => end.status === 'rejected' && end.reason.code)).toEqual(
    Array(100).fill('Cancelled'),
  )
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

describe('a call that takes too long', () => {
  it('is an AttemptTimeout where no answer comes', async () => {
    const { answering } = held()
    const service = await startStandIn(answering)
    const client = service.client()
    const read = client.listIngestionRules(rules, { timeoutMs: 150 })
    await expect(read).rejects.toMatchObject({ code: 'AttemptTimeout', notSent: false })
    const create = client.createAgent(agent, { timeoutMs: 150 })
    await expect(create).rejects.toMatchObject({ code: 'OutcomeUnknown', cause: { code: 'AttemptTimeout' } })
  })

  it('is an AttemptTimeout where the body does not end', async () => {
    const service = await startStandIn((_received, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    })
    const call = service.client().listIngestionRules(rules, { timeoutMs: 5000 })
    await expect(call).rejects.toMatchObject({
      code: 'AttemptTimeout',
      message: expect.stringContaining('the answer was not complete'),
    })
  })

  it('has its time for itself: waiting before it does not count', async () => {
    const service = await startStandIn(() => ({ items: [] }))
    const client = service.client(slow(1))
    // The last of them waits for longer than each of them may take.
    const calls = Array.from({ length: 5 }, () => client.listIngestionRules(rules, { timeoutMs: 3000 }))
    expect(await Promise.all(calls)).toHaveLength(5)
  })

  it('can be cancelled after it was sent', async () => {
    const { answering, waiting } = held()
    const service = await startStandIn(answering)
    const stop = new AbortController()
    const call = service.client().createAgent(agent, { signal: stop.signal })
    await expect.poll(waiting).toBe(1)
    stop.abort()
    const error = await call.catch((error: unknown) => error)
    expect(RunbookError.is(error)).toBe(true)
    // The agent may exist by now: that is what matters about a create.
    expect(error).toMatchObject({ code: 'OutcomeUnknown', cause: { code: 'Cancelled', notSent: false } })
  })

  it('can be cancelled while its answer comes', async () => {
    const service = await startStandIn((_received, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"request_id":')
    })
    const stop = new AbortController()
    const call = service.client().listIngestionRules(rules, { signal: stop.signal })
    await expect.poll(() => service.received.length).toBe(1)
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: 'Cancelled', notSent: false })
  })

  it('is not even begun when it is cancelled already', async () => {
    const service = await startStandIn(() => ({ agent_id: 'x' }))
    const call = service.client().createAgent(agent, { signal: AbortSignal.abort() })
    await expect(call).rejects.toMatchObject({ code: 'Cancelled', notSent: true })
    expect(service.received).toHaveLength(0)
  })
})

describe('the signal that counts before sending', () => {
  const call = { target_locator: 'web-01', tools: [{ tool: 't' }] }
  const results = { results: [{ tool: 't', data: { data: {} }, error: null }], error: null }
  const notSent = { code: 'Cancelled', notSent: true, cause: { message: 'enough' } }

  /** Calls once everything else is taken, stops, and answers with what became of the call. */
  async function stopped(make: (stop: AbortController) => Promise<unknown>): Promise<unknown> {
    const stop = new AbortController()
    const call = make(stop).catch((error: unknown) => error)
    setImmediate(() => stop.abort(new Error('enough')))
    return call
  }

  it('ends the wait for the rate limit', async () => {
    const service = await startStandIn(() => ({ agent_id: 'x' }))
    const client = service.client({ limits: { createAgent: { perMinute: 1 } } })
    await client.createAgent(agent)
    for (const make of [client.createAgent, client.attempt.bind(undefined, 'createAgent')] as const) {
      const end = await stopped(({ signal }) =>
        (make as Client['createAgent'])(agent, { signalBeforeSending: signal }),
      )
      expect(end).toMatchObject(notSent)
    }
    expect(service.received).toHaveLength(1)
  })

  it('ends the wait for a target, and the next one gets it', async () => {
    const { answering, release, waiting } = held(results)
    const service = await startStandIn(answering)
    const client = service.client()
    const other = client.invokeTools(call)
    await expect.poll(waiting).toBe(1)
    const end = await stopped(({ signal }) => client.invokeTools(call, { signalBeforeSending: signal }))
    expect(end).toMatchObject(notSent)
    const next = client.invokeTools(call)
    release()
    await other
    await expect.poll(waiting).toBe(1)
    release()
    await next
    expect(service.received).toHaveLength(2)
  })

  it('ends the wait for a turn', async () => {
    const { answering, release, waiting } = held()
    const service = await startStandIn(answering)
    const client = service.client({ concurrency: 1 })
    const other = client.listIngestionRules(rules)
    await expect.poll(waiting).toBe(1)
    expect(
      await stopped(({ signal }) => client.createAgent(agent, { signalBeforeSending: signal })),
    ).toMatchObject(notSent)
    release()
    await other
    expect(service.received).toHaveLength(1)
  })

  it('ends the making of a connection', async () => {
    const stop = new AbortController()
    // The server accepts, and says nothing: the handshake does not end.
    const silent = await startSockets(() => stop.abort(new Error('enough')))
    const client = clientOf(silent.replace('http:', 'https:'))
    await expect(client.createAgent(agent, { signalBeforeSending: stop.signal })).rejects.toMatchObject(
      notSent,
    )
  })

  it('ends the wait for a repeat of what was never sent', async () => {
    const client = clientOf('http://127.0.0.1:1', { retry: { attempts: 2, delayMs: 60_000 } })
    const stop = new AbortController()
    const onWait = (): unknown => setImmediate(() => stop.abort(new Error('enough')))
    const end = client.createAgent(agent, { signalBeforeSending: stop.signal, onWait })
    await expect(end).rejects.toMatchObject({ code: 'Cancelled', notSent: true })
  })

  it('changes nothing once the request is out, nor for its repeats', async () => {
    const { answering, release, waiting } = held({ agent_id: 'x' })
    const service = await startStandIn((received, response, count) => {
      if (count > 1) return answering(received, response, count)
      sendError(response, 'RequestLocked', 423)
      return undefined
    })
    const client = service.client({ retry: { attempts: 2, delayMs: 20 } })
    const stop = new AbortController()
    const onWait = (): void => stop.abort()
    const sent = client.createAgent(agent, { signalBeforeSending: stop.signal, onWait })
    await expect.poll(waiting).toBe(1)
    release()
    expect(await sent).toMatchObject({ requestId: 'req-2' })
    const late = new AbortController()
    const single = client.attempt('createAgent', agent, { signalBeforeSending: late.signal })
    await expect.poll(waiting).toBe(1)
    late.abort()
    release()
    expect(await single).toMatchObject({ requestId: 'req-3' })
  })

  it('goes together with the other one', async () => {
    const { answering, waiting } = held()
    const service = await startStandIn(answering)
    const stop = new AbortController()
    const { signal } = new AbortController()
    const call = service
      .client()
      .listIngestionRules(rules, { signal: stop.signal, signalBeforeSending: signal })
    await expect.poll(waiting).toBe(1)
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: 'Cancelled', notSent: false })
  })
})
