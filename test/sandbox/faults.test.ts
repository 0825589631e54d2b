import { beforeEach, describe, expect, it } from 'vitest'
import { linesOf, type OperationId, openFileSandbox, openSandbox, validBodies } from './open-sandbox.ts'

const sandbox = await openFileSandbox({ limits: false })
beforeEach(() => sandbox.control('reset', {}))

const faults = async (...rules: readonly object[]) => {
  const answer = await sandbox.control('faults', rules)
  expect(answer.faults).toHaveLength(rules.length)
}
const left = async () =>
  (await sandbox.control('faults')).faults.map((rule: { left: number | null }) => rule.left)
const last = async () => (await sandbox.control('requests')).requests.at(-1)
const agents = async (): Promise<number> => (await sandbox.control('state')).agents.length
/** What a client sees of a call: a code, `OK`, or that the connection ended. */
const outcome = async (id: OperationId, body: unknown = validBodies[id], key?: string): Promise<string> => {
  try {
    const { json } = await sandbox.call(id, body, key)
    return json?.error?.code ?? 'OK'
  } catch {
    return 'closed'
  }
}

describe('each kind of fault', () => {
  it('error: with a message, a wait, or an unknown code', async () => {
    await faults(
      {
        operation: 'E5',
        times: 1,
        error: { code: 'RequestTooFrequently', retry_after: 7, message: 'slow down' },
      },
      { operation: 'E5', times: 1, error: { code: 'QuotaSpent' } },
    )
    const limited = await sandbox.call('E5')
    expect(limited).toMatchObject({ status: 429, json: { error: { message: 'slow down' } } })
    expect(limited.headers['retry-after']).toBe('7')
    expect(await sandbox.call('E5')).toMatchObject({ status: 400, json: { error: { code: 'QuotaSpent' } } })
  })

  it('delay_ms: executed at once, the answer held back', async () => {
    await faults({ operation: 'E1', times: 1, delay_ms: 120 })
    const startedAt = performance.now()
    const reply = sandbox.call('E1')
    await expect.poll(agents, { interval: 5 }).toBe(1)
    await reply
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(119)
    expect(await last()).toMatchObject({ fault: 'delay_ms', executed: true, status: 200 })
  })

  it('close_before: nothing is executed', async () => {
    await faults({ operation: 'E1', times: 1, close_before: true })
    expect(await outcome('E1')).toBe('closed')
    expect(await agents()).toBe(0)
    expect(await last()).toMatchObject({ fault: 'close_before', executed: false, status: null, code: null })
  })

  it('close_after: the lost answer', async () => {
    await faults({ operation: 'E1', times: 1, close_after: true })
    expect(await outcome('E1')).toBe('closed')
    expect(await agents()).toBe(1)
    expect(await last()).toMatchObject({ fault: 'close_after', executed: true, status: null, code: null })
  })

  it('html: what a gateway says', async () => {
    await faults({ operation: 'E1', times: 1, html: 502 })
    const reply = await sandbox.call('E1')
    expect(reply).toMatchObject({ status: 502, text: expect.stringMatching(/^<html>/) })
    expect(reply.headers['content-type']).toMatch('text/html')
    expect(reply.headers['service-request-id']).toBeUndefined()
    expect(await agents()).toBe(0)
  })

  it('redirect: elsewhere', async () => {
    await faults({ operation: 'E1', times: 1, redirect: 'https://login.example.com/?from=api' })
    const reply = await sandbox.call('E1')
    expect(reply.status).toBe(302)
    expect(reply.headers['location']).toBe('https://login.example.com/?from=api')
    expect(await agents()).toBe(0)
  })

  it('broken_json, empty_body, wrong_content_type, huge_body: executed, the answer spoiled', async () => {
    await faults(
      { operation: 'E1', times: 1, broken_json: true },
      { operation: 'E1', times: 1, empty_body: true },
      { operation: 'E1', times: 1, wrong_content_type: 'text/plain' },
      { operation: 'E1', times: 1, huge_body: 3_000_000 },
    )
    const broken = await sandbox.call('E1')
    expect(broken).toMatchObject({
      status: 200,
      json: undefined,
      text: expect.stringMatching(/^\{"request_id"/),
    })
    expect(await sandbox.call('E1')).toMatchObject({ status: 200, text: '' })
    const plain = await sandbox.call('E1')
    expect(plain.headers['content-type']).toMatch('text/plain')
    expect(plain.json.data.agent_id).toMatch(/^a2a_/)
    const huge = await sandbox.call('E1')
    expect(huge.text).toHaveLength(3_000_000)
    expect(huge.json).toMatchObject({ request_id: huge.headers['service-request-id'] })
    expect(await agents()).toBe(4)
  })

  it.each([{ error: 'InternalError' }, { html: 504 }, { redirect: '/' }])(
    '%j can come after the deed',
    async (kind) => {
      await faults({ operation: 'E1', times: 1, executed: true, ...kind })
      expect((await sandbox.call('E1')).status).not.toBe(200)
      expect(await agents()).toBe(1)
      expect(await last()).toMatchObject({ executed: true })
    },
  )

  it('target_error and tool_error: errors inside a 200', async () => {
    await faults(
      { operation: 'E4', times: 1, target_error: 'invalid_tool_result' },
      {
        operation: 'E4',
        times: 1,
        target_error: { code: 'ambiguous_target_kind', target_kinds: ['a', 'b'] },
      },
      { operation: 'catalog', times: 1, target_error: 'forward_failed' },
      { operation: 'E4', times: 1, tool_error: { tool: 'os.cpu', code: 'edge_unsupported' } },
      { operation: 'E4', times: 1, tool_error: { code: 'wrong_agent', message: 'not mine' } },
    )
    const tools = ['os.overview', 'os.cpu'].map((tool) => ({ tool, params: {} }))
    const invoke = async () => (await sandbox.call('E4', { target_locator: 'web-01', tools })).json.data
    const codes = ({ results }: { results: { error: { code: string } | null }[] }) =>
      results.map(({ error }) => error?.code ?? 'OK')
    expect(await invoke()).toMatchObject({ results: [], error: { code: 'invalid_tool_result' } })
    expect((await invoke()).error).toMatchObject({ target_kinds: ['a', 'b'] })
    expect((await sandbox.call('catalog')).json.data).toMatchObject({
      tools: [],
      error: { code: 'forward_failed' },
    })
    expect(codes(await invoke())).toEqual(['OK', 'edge_unsupported'])
    expect(codes(await invoke())).toEqual(['wrong_agent', 'wrong_agent'])
  })

  it.each([
    ['half_line', 3, false, /^(.*\n){2}[^\n]+$/],
    ['error_line', 3, true, /\n\{"type":"error","error":\{"code":"InternalError"\}\}\n$/],
    ['quiet', 2, true, /^(.*\n){2}$/],
  ] as const)('truncated_stream ends with %s', async (end, count, isEnded, pattern) => {
    await faults({ operation: 'E6', times: 1, truncated_stream: { lines: 2, end } })
    const { text } = await sandbox.call('E6')
    expect(text.split('\n').filter(Boolean)).toHaveLength(count)
    expect(text.endsWith('\n')).toBe(isEnded)
    expect(text).toMatch(pattern)
  })

  it('truncated_stream closes the connection when nothing else is said', async () => {
    await faults({ operation: 'E6', times: 1, truncated_stream: { lines: 2 } })
    await expect(sandbox.call('E6')).rejects.toThrow()
    expect((await sandbox.call('E6')).status).toBe(200)
  })

  it('slow_stream: each line comes late, none is missing', async () => {
    const { text } = await sandbox.call('E6')
    await faults({ operation: 'E6', times: 1, slow_stream: { line_delay_ms: 20 } })
    const startedAt = performance.now()
    expect((await sandbox.call('E6')).text).toBe(text)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(linesOf(text).length * 19)
  })

  it('broken_json cuts a stream in the middle of a line', async () => {
    await faults({ operation: 'E6', times: 1, broken_json: true })
    expect((await sandbox.call('E6')).text).toMatch(/^\{.*\}\n\{[^}\n]*$/)
  })
})

describe('which calls a rule is for', () => {
  const error = 'ServiceUnavailable'

  it('times: a number of calls, then no more; the rest is listed', async () => {
    await faults({ operation: 'E5', times: 2, error })
    const seen = [await outcome('E5'), await outcome('E8'), await outcome('E5')]
    expect(seen).toEqual([error, 'OK', error])
    expect(await left()).toEqual([0])
    expect(await outcome('E5')).toBe('OK')
  })

  it('every: each nth call, as often as times allows', async () => {
    await faults({ operation: 'E5', every: 3, times: 2, error })
    const seen = []
    for (let call = 0; call < 10; call++) seen.push(await outcome('E5'))
    expect(seen.map((code, index) => (code === error ? index + 1 : 0)).filter(Boolean)).toEqual([3, 6])
  })

  it('neither: all, until the list is replaced', async () => {
    await faults({ operation: '*', error })
    expect([await outcome('E5'), await outcome('catalog'), await outcome('E9')]).toEqual([
      error,
      error,
      error,
    ])
    expect(await left()).toEqual([null])
    await faults()
    expect(await outcome('E5')).toBe('OK')
  })

  it('the first that is due is used up, and no other', async () => {
    await faults({ operation: 'E5', times: 1, error }, { operation: '*', times: 1, error: 'NoLicense' })
    expect([await outcome('E5'), await outcome('E5'), await outcome('E5')]).toEqual([
      error,
      'NoLicense',
      'OK',
    ])
  })

  it('an operation goes by its number or its path', async () => {
    await faults({ operation: 'monit/tools/invoke', times: 1, error })
    expect([await outcome('catalog'), await outcome('E4')]).toEqual(['OK', error])
  })

  it.each([
    [{ key: 'sandbox-member' }, false],
    [{ key: 'sandbox-owner' }, true],
    [{ body: { target_locator: 'web-01' } }, true],
    [{ body: { target_locator: 'web-02' } }, false],
    [{ body: { tools: [{ tool: 'os.cpu' }] } }, true],
    [{ body: { tools: [{ tool: 'os.cpu' }, { tool: 'os.memory' }] } }, true],
    [{ body: { tools: [{ tool: 'os.logins' }] } }, false],
    [{ body: { tools: { tool: 'os.cpu' } } }, false],
    [{ key: 'sandbox-owner', body: { account_id: 1 } }, false],
  ])('condition %j: %s', async (condition, isMet) => {
    await faults({ operation: 'E4', condition, error })
    const tools = ['os.memory', 'os.cpu'].map((tool) => ({ tool, params: {} }))
    expect(await outcome('E4', { target_locator: 'web-01', tools })).toBe(isMet ? error : 'OK')
  })

  it('stream faults leave other operations alone', async () => {
    await faults({ operation: '*', truncated_stream: { lines: 0, end: 'quiet' } })
    expect(await outcome('E5')).toBe('OK')
    expect((await sandbox.call('E6')).text).toBe('')
  })

  it('a call without a valid key can meet a fault, as a gateway knows no keys', async () => {
    await faults({ operation: 'E5', html: 503 })
    expect((await sandbox.call('E5', validBodies.E5, 'nobody')).status).toBe(503)
  })

  it('what a fault kept from being executed is not counted by the limits', async () => {
    await sandbox.control('config', { limits: true })
    await faults({ operation: 'E5', times: 30, error })
    for (let call = 0; call < 30; call++) expect(await outcome('E5')).toBe(error)
    expect(await outcome('E5')).toBe('OK')
  })
})

describe('a list that is refused', () => {
  it.each([
    [{ operation: 'E4', error: 'X' }, 'must be array'],
    [[{ error: 'X' }], "must have required property 'operation'"],
    [[{ operation: 'E10', error: 'X' }], 'must be equal to one of'],
    [[{ operation: 'E4', errror: 'X' }], 'errror'],
    [[{ operation: 'E4' }], '[0] has no fault'],
    [
      [
        { operation: 'E4', delay_ms: 1 },
        { operation: 'E4', error: 'X', html: 502 },
      ],
      '[1] has error and html',
    ],
    [[{ operation: 'E4', times: 0, error: 'X' }], 'must be >= 1'],
    [[{ operation: 'E5', truncated_stream: { lines: 1 } }], 'truncated_stream does not fit E5'],
    [[{ operation: 'E6', tool_error: { code: 'x' } }], 'tool_error does not fit E6'],
    [[{ operation: 'E6', truncated_stream: { lines: 1, end: 'bang' } }], 'must be equal to one of'],
  ])('%j: %s', async (rules, problem) => {
    await faults({ operation: 'E5', times: 5, error: 'NoLicense' })
    const answer = await sandbox.control('faults', rules)
    expect(answer).toEqual({ status: 400, problem: expect.stringContaining(problem) })
    expect(await left()).toEqual([5])
  })
})

describe('latency', () => {
  it('is added to every answer of the API, and to no other', async () => {
    await sandbox.control('config', { latency_ms: 60 })
    const startedAt = performance.now()
    await sandbox.call('E5')
    await sandbox.call('E5', {}, 'nobody')
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(118)
    const requests = await sandbox.control('requests')
    expect(requests.requests).toHaveLength(2)
  })
})

it('many calls may wait at once', async () => {
  const warnings: unknown[] = []
  const onWarning = (warning: Error): unknown => warnings.push(warning)
  process.on('warning', onWarning)
  const slow = await openSandbox({ latencyMs: 50, limits: false })
  const replies = await Promise.all(Array.from({ length: 30 }, () => slow.call('E3')))
  await slow.close()
  process.off('warning', onWarning)
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  expect(warnings).toEqual([])
})
