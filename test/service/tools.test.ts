import { describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { openService, type Service } from './open-service.ts'
import { proves } from './statements.ts'

const service = await openService()

interface Call {
  readonly tool: string
  readonly params: Readonly<Record<string, string | number>>
}

const tool = (name: string, params: Call['params'] = {}): Call => ({ tool: name, params })
const unreachable = tool('net.tcp_ping', { host: 'down-01', port: 22 })
const slow = { slow_tool_ms: 300 }

describe('an answer', () => {
  it(proves('§E4.path', '§E4.target', '§E4.result', '§E4.success', '§E4.failure'), async () => {
    const tools = [tool('os.overview'), unreachable, tool('os.top_processes', { top_n: 1 })]
    const input = { target_locator: 'web-01', tools }
    let answer: unknown
    const [arrived] = await service.receivedDuring(async () => {
      answer = (await service.client().invokeTools(input)).data
    })
    expect(arrived).toMatchObject({ method: 'POST', path: '/monit/tools/invoke', body: input })
    const elapsed = { agent_elapsed_ms: expect.any(Number), e2e_elapsed_ms: expect.any(Number) }
    const success = (name: string, truncated: boolean): object => ({
      tool: name,
      tool_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      data: { data: expect.any(Object), summary: expect.any(String), truncated: { truncated } },
      error: null,
      ...elapsed,
    })
    const failure = {
      tool: 'net.tcp_ping',
      tool_version: expect.any(String),
      data: null,
      error: { code: 'target_unreachable', message: expect.any(String) },
      ...elapsed,
    }
    const document = {
      target: { kind: 'host', locator: 'web-01' },
      results: [success('os.overview', false), failure, success('os.top_processes', true)],
      error: null,
    }
    expect(answer).toMatchObject(document)
    expect((await service.call('E4', input)).json.data).toEqual(document)
  })

  it(proves('§E4.elapsed'), async () => {
    await service.control('config', { latency_ms: 120 })
    const { data } = await service.client().invokeTools({ target_locator: 'web-01', tools: [tool('os.cpu')] })
    const [{ agent_elapsed_ms = 0, e2e_elapsed_ms = 0 } = {}] = data.results
    expect(e2e_elapsed_ms - agent_elapsed_ms).toBeGreaterThanOrEqual(120)
  })
})

describe('a request', () => {
  it(proves('§E4.own-account'), async () => {
    const input = { target_locator: 'web-01', tools: [tool('os.cpu')] }
    expect((await service.through('E4', { ...input, account_id: 1001 })).data.error).toBeNull()
    for (const id of ['E4', 'catalog'] as const) {
      const failure = await failureOf(
        service.through(id, { ...(id === 'E4' ? input : { target_locator: 'web-01' }), account_id: 2002 }),
      )
      expect(failure).toMatchObject({
        code: 'InvalidParameter',
        message: expect.stringContaining('account_id'),
      })
    }
  })

  it(proves('§E4.empty-params'), async () => {
    const [arrived] = await service.receivedDuring(() =>
      service.client().invokeTools({ target_locator: 'web-01', tools: [{ tool: 'os.cpu' }] }),
    )
    expect(arrived).toMatchObject({ code: 'OK', body: { tools: [{ tool: 'os.cpu', params: {} }] } })
    const { json } = await service.call('E4', { target_locator: 'web-01', tools: [{ tool: 'os.cpu' }] })
    expect(json.error).toMatchObject({
      code: 'InvalidParameter',
      message: 'tools[0].params: is required; the document (E4) asks for {} where a tool takes no parameters',
    })
  })
})

describe('many tools', () => {
  it(proves('§E4.rule-1', '§size.tools', '§E4.rule-2'), async () => {
    const { data: catalog } = await service.client().listTools({ target_locator: 'web-01' })
    const names = catalog.tools.slice(0, 20).map(({ name }) => name)
    const tools = [...names].reverse().map((name) => tool(name))
    let answer: Awaited<ReturnType<Service['through']>> | undefined
    const arrived = await service.receivedDuring(async () => {
      answer = await service.through('E4', { target_locator: 'web-01', tools })
    })
    expect(arrived.map(({ body }) => body.tools)).toEqual([
      tools.slice(0, 8),
      tools.slice(8, 16),
      tools.slice(16),
    ])
    expect(answer?.data.results.map((result: { tool: string }) => result.tool)).toEqual([...names].reverse())
    expect(answer?.data).toMatchObject({ total: 20, error: null })
  })

  it(`${proves('§E4.rule-1', '§size.tools')} 9 unsplit`, async () => {
    const tools = Array.from({ length: 9 }, () => tool('os.cpu'))
    const arrived = await service.receivedDuring(async () => {
      const attempt = service.client().attempt('invokeTools', { target_locator: 'web-01', tools })
      expect(await failureOf(attempt)).toMatchObject({ code: 'InvalidInput', notSent: true })
    })
    expect(arrived).toEqual([])
    const { status, json } = await service.call('E4', { target_locator: 'web-01', tools })
    expect({ status, ...json.error }).toEqual({
      status: 400,
      code: 'InvalidParameter',
      message: expect.stringMatching(/^tools: .*8/),
    })
    const eight = await service.call('E4', { target_locator: 'web-01', tools: tools.slice(1) })
    expect(eight.json.data.results).toHaveLength(8)
  })

  it(`${proves('§E4.rule-2')} at the same time`, async () => {
    await service.control('config', slow)
    await service.control('clock', { now: '2026-03-01T12:00:00Z' })
    const { received } = await service.control('requests')
    const tools = Array.from({ length: 8 }, () => tool('os.overview'))
    const call = service.client().invokeTools({ target_locator: 'slow-01', tools })
    await expect.poll(async () => (await service.control('requests')).received).toBe(received + 1)
    await service.control('clock', { advance_ms: 3_600_000 })
    const { results } = (await call).data
    // A tool reads the clock when it starts: one that started after another had ended would show a later time.
    expect(new Set(results.map(({ data }) => data?.data['sampled_at'])).size).toBe(1)
  })
})

describe('time', () => {
  it(proves('§E4.rule-3', '§time.E4'), async () => {
    await service.control('config', slow)
    const client = service.client()
    const input = { target_locator: 'slow-01', tools: [tool('os.cpu')] }
    const arrived = await service.receivedDuring(async () => {
      const failure = await failureOf(client.invokeTools(input, { timeoutMs: 34_999 }))
      expect(failure).toMatchObject({ code: 'InvalidInput', message: expect.stringContaining('35000') })
    })
    expect(arrived).toEqual([])
    expect((await client.invokeTools(input, { timeoutMs: 35_000 })).data).toMatchObject({ failed: 0 })
    expect((await client.invokeTools(input)).data).toMatchObject({ failed: 0 })
  })
})

describe('the catalog', () => {
  it(proves('§E4.rule-7'), async () => {
    const client = service.client()
    const { data } = await client.listTools({ target_locator: 'web-01' })
    const required = (schema: Readonly<Record<string, unknown>>): readonly unknown[] =>
      Array.isArray(schema['required']) ? schema['required'] : []
    for (const { input_schema } of data.tools) expect(input_schema).toMatchObject({ type: 'object' })
    // What the schema asks for is what the tool asks for.
    const tools = data.tools.map(({ name }) => tool(name))
    const { data: answer } = await client.invokeTools({ target_locator: 'web-01', tools })
    const asking = data.tools.filter(({ input_schema }) => required(input_schema).length > 0)
    expect(answer.failures.map((failure) => `${failure.tool} ${failure.code}`)).toEqual(
      asking.map(({ name }) => `${name} invalid_args`),
    )
    expect(asking.length).toBeGreaterThan(0)
    expect(answer.succeeded).toBeGreaterThan(8)
  })
})

const requestFailures = [
  ['down-01', 'target_unavailable'],
  ['nowhere', 'target_unavailable'],
  ['db-01', 'ambiguous_target_kind'],
  ['stale-01', 'unknown_toolset_hash'],
  ['edge-01', 'forward_failed'],
] as const

describe('failures', () => {
  it.each(requestFailures)(`${proves('§E4.rule-4')} %s: %s`, async (target_locator, code) => {
    const input = { target_locator, tools: [tool('os.cpu')] }
    const failure = await failureOf(service.client().invokeTools(input))
    expect(failure).toMatchObject({ code, message: expect.stringContaining(target_locator) })
    expect(failure.requestId).toMatch(/./)
    if (code === 'ambiguous_target_kind') expect(failure.details).toEqual({ target_kinds: ['host', 'mysql'] })
    const { status, json } = await service.call('E4', input)
    expect({ status, data: json.data, error: json.error }).toEqual({
      status: 200,
      data: {
        target: { kind: expect.any(String), locator: target_locator },
        results: [],
        error: expect.objectContaining({ code }),
      },
      error: undefined,
    })
  })

  it(proves('§E4.rule-5', '§errors.rule-2'), async () => {
    const tools = [tool('os.cpu'), unreachable, tool('os.nothing'), tool('os.memory', { verbose: 1 })]
    let answer: Awaited<ReturnType<Service['through']>> | undefined
    const [arrived] = await service.receivedDuring(async () => {
      answer = await service.through('E4', { target_locator: 'web-01', tools })
    })
    expect(arrived).toMatchObject({ status: 200, code: 'OK' })
    expect(answer?.data).toMatchObject({
      error: null,
      total: 4,
      succeeded: 1,
      failed: 3,
      failures: [
        { index: 1, tool: 'net.tcp_ping', code: 'target_unreachable' },
        { index: 2, tool: 'os.nothing', code: 'unknown_tool' },
        { index: 3, tool: 'os.memory', code: 'invalid_args' },
      ],
    })
  })

  it(proves('§E4.rule-6'), async () => {
    const client = service.client()
    const input = { target_locator: 'web-01', tools: [tool('os.cpu')] }
    await service.control('faults', [
      { operation: 'E4', times: 1, error: 'ServiceUnavailable' },
      { operation: 'E4', times: 1, target_error: 'forward_failed' },
      { operation: 'E4', times: 1, tool_error: { code: 'timeout' } },
    ])
    expect(await failureOf(client.invokeTools(input))).toMatchObject({ code: 'ServiceUnavailable' })
    expect(await failureOf(client.invokeTools(input))).toMatchObject({ code: 'forward_failed' })
    const { data } = await client.invokeTools(input)
    expect(data).toMatchObject({ failed: 1, failures: [{ index: 0, tool: 'os.cpu', code: 'timeout' }] })
    expect((await client.invokeTools(input)).data).toMatchObject({ failed: 0, failures: [] })
  })
})
