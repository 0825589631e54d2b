import { beforeAll, describe, expect, it } from 'vitest'
import { openFileSandbox } from './open-sandbox.ts'

const sandbox = await openFileSandbox({ limits: false })
beforeAll(() => sandbox.control('config', { slow_tool_ms: 60, busy_tool_ms: 250, tool_timeout_ms: 400 }))

interface ToolCall {
  readonly tool: string
  readonly params: object
}

const invoke = async (target_locator: string, tools: readonly ToolCall[], more: object = {}, key?: string) =>
  (await sandbox.call('E4', { target_locator, tools, ...more }, key)).json.data
const catalog = async (target_locator: string, more: object = {}) =>
  (await sandbox.call('catalog', { target_locator, ...more })).json.data
const overview = { tool: 'os.overview', params: {} }

describe('the catalog', () => {
  it('lists at least 24 tools with schemas of their params', async () => {
    const { target, tools, error } = await catalog('web-01')
    expect({ target, error }).toEqual({ target: { kind: 'host', locator: 'web-01' }, error: null })
    expect(tools.length).toBeGreaterThanOrEqual(24)
    for (const tool of tools) {
      expect(tool).toEqual({
        name: expect.stringMatching(/^[a-z]+\.[a-z_]+$/),
        target_kind: 'host',
        description: expect.any(String),
        input_schema: expect.objectContaining({ type: 'object', additionalProperties: false }),
      })
    }
  })

  it('holds the names that people script against', async () => {
    const { tools } = await catalog('web-01')
    const names = tools.map((tool: { name: string }) => tool.name)
    expect(names).toEqual(
      expect.arrayContaining([
        'os.overview',
        'os.top_processes',
        'net.tcp_ping',
        'http.get',
        'mysql.overview',
        'mysql.lock_contention',
        'mysql.query',
      ]),
    )
    expect(new Set(names).size).toBe(names.length)
  })

  it('says which tools a MySQL has', async () => {
    const { tools } = await catalog('db-01', { target_kind: 'mysql' })
    expect(tools.map((tool: { name: string }) => tool.name.split('.')[0])).toEqual(tools.map(() => 'mysql'))
  })
})

describe('results', () => {
  it('come from every tool of the catalog, built from its schema', async () => {
    const examples: Readonly<Record<string, object>> = {
      'net.tcp_ping': { host: 'db-01', port: 3306 },
      'net.dns_lookup': { name: 'db-01', type: 'AAAA' },
      'http.get': { url: 'https://web-01/' },
      'mysql.query': { sql: 'SELECT 1' },
    }
    const { tools } = await catalog('web-01')
    let withoutArguments = 0
    for (const { name, input_schema } of tools) {
      if (input_schema.required.length === 0) withoutArguments += 1
      const { results } = await invoke('web-01', [{ tool: name, params: examples[name] ?? {} }])
      expect(results[0]).toMatchObject({ tool: name, error: null })
    }
    expect(withoutArguments).toBeGreaterThanOrEqual(20)
  })

  it('show the sick disk', async () => {
    const tools = [
      'os.overview',
      'os.disk_health',
      'os.disk_usage',
      'os.disk_io',
      'os.services',
      'log.kernel',
    ]
    const summaries = async (host: string): Promise<readonly string[]> =>
      (
        await invoke(
          host,
          tools.map((tool) => ({ tool, params: {} })),
        )
      ).results.map((result: { data: { summary: string } }) => result.data.summary)
    expect((await summaries('disk-01')).join('; ')).toMatch(/97\.4.*failing.*97\.4.*184.*failed.*I\/O error/)
    expect((await summaries('web-01')).join('; ')).not.toMatch(/failing|97\.4|I\/O error/)
  })

  it('say when rows were left out', async () => {
    const { results } = await invoke('web-01', [
      { tool: 'os.top_processes', params: { top_n: 3, sort_by: 'memory' } },
      { tool: 'os.top_processes', params: { top_n: 100 } },
      { tool: 'mysql.query', params: { sql: 'select 1', max_rows: 2 } },
    ])
    const seen = results.map((result: { data: { truncated: object } }) => result.data.truncated)
    expect(seen).toEqual([{ truncated: true }, { truncated: false }, { truncated: true }])
    expect(results[0].data.data.processes).toHaveLength(3)
  })
})

/** Failures of the whole request: `data.error`, no results. */
const requestErrors: readonly [locator: string, more: object, code: string, key?: string][] = [
  ['web-01', { target_kind: 'mysql' }, 'target_unavailable'],
  ['web-01', {}, 'target_unavailable', 'sandbox-other'],
  ['other-01', {}, 'target_unavailable'],
  ['node-10001', {}, 'target_unavailable'],
  ['node-01', {}, 'target_unavailable'],
]

describe('failures of a request', () => {
  it.each(requestErrors)('%s %j: %s', async (locator, more, code, key) => {
    const data = await invoke(locator, [overview], more, key)
    expect(data).toMatchObject({
      target: { locator },
      results: [],
      error: { code, message: expect.any(String) },
    })
  })

  it('name the kinds that a locator can mean, and any of them resolves it', async () => {
    const { target_kinds } = (await invoke('db-01', [overview])).error
    expect(target_kinds).toEqual(['host', 'mysql'])
    const results = await Promise.all([
      invoke('db-01', [overview], { target_kind: 'host' }),
      invoke('db-01', [{ tool: 'mysql.overview', params: {} }], { target_kind: 'mysql' }),
      invoke('db-01', [overview], { target_kind: 'mysql' }),
    ])
    expect(results.map(({ target, results: [result] }) => [target.kind, result.error?.code ?? 'OK'])).toEqual(
      [
        ['host', 'OK'],
        ['mysql', 'OK'],
        ['mysql', 'unknown_tool'],
      ],
    )
  })

  it.each([
    ['down-01', 'target_unavailable'],
    ['db-01', 'ambiguous_target_kind'],
    ['edge-01', 'forward_failed'],
  ])('are in the catalog too: %s: %s', async (locator, code) => {
    expect(await catalog(locator)).toMatchObject({ tools: [], error: { code } })
  })
})

/** Failures of one tool: its own `error`. */
const toolErrors: readonly [locator: string, tool: string, params: object, code: string][] = [
  ['web-01', 'os.everything', {}, 'unknown_tool'],
  ['web-01', 'os.overview', { verbose: true }, 'invalid_args'],
  ['web-01', 'os.top_processes', { top_n: '5' }, 'invalid_args'],
  ['web-01', 'os.top_processes', { sort_by: 'name' }, 'invalid_args'],
  ['web-01', 'net.tcp_ping', { host: 'db-01' }, 'invalid_args'],
  ['web-01', 'net.tcp_ping', { host: 'db-01', port: 70_000 }, 'invalid_args'],
  ['web-01', 'net.tcp_ping', { host: 'down-01', port: 22 }, 'target_unreachable'],
  ['web-01', 'net.tcp_ping', { host: '192.0.2.7', port: 22 }, 'target_unreachable'],
  ['web-01', 'http.get', { url: 'https://shop.invalid/' }, 'target_unreachable'],
  ['web-01', 'http.get', { url: 'ftp://shop.example' }, 'invalid_args'],
  ['web-01', 'http.get', { url: 'http://[' }, 'invalid_args'],
  ['web-01', 'net.dns_lookup', { name: 'shop.invalid' }, 'target_unreachable'],
  ['web-01', 'mysql.query', { sql: 'DROP TABLE orders' }, 'denied'],
  ['web-01', 'mysql.query', { sql: 'SELECT SLEEP(5)' }, 'timeout'],
  ['web-01', 'os.disk_usage', { mount: '/nothing' }, 'invalid_args'],
  ['node-7', 'mysql.overview', {}, 'target_unreachable'],
  ['disk-01', 'docker.containers', {}, 'target_unreachable'],
  ['denied-01', 'os.overview', {}, 'permission_denied'],
]

describe('failures of a tool', () => {
  it.each(toolErrors)('%s %s %j: %s', async (locator, tool, params, code) => {
    const data = await invoke(locator, [overview, { tool, params }])
    expect(data.error).toBeNull()
    expect(data.results[1]).toMatchObject({ tool, data: null, error: { code, message: expect.any(String) } })
    if (locator !== 'denied-01') expect(data.results[0].error).toBeNull()
  })

  it('happen once for each tool on flaky-01', async () => {
    const codes = async (...names: string[]): Promise<unknown> =>
      (
        await invoke(
          'flaky-01',
          names.map((tool) => ({ tool, params: {} })),
        )
      ).results.map((result: { error: { code: string } | null }) => result.error?.code ?? 'OK')
    expect(await codes('os.cpu')).toEqual(['internal'])
    expect(await codes('os.cpu', 'os.memory')).toEqual(['OK', 'internal'])
    expect(await codes('os.memory')).toEqual(['OK'])
  })

  it('are all that a second call to busy-01 gets while the first one runs', async () => {
    const both = await Promise.all([
      invoke('busy-01', [overview, overview]),
      invoke('busy-01', [overview, overview]),
    ])
    const codes = both.map(({ results }) =>
      results.map((result: { error: { code: string } | null }) => result.error?.code ?? 'OK').join(),
    )
    expect(codes.sort()).toEqual(['OK,OK', 'overloaded,overloaded'])
    expect((await invoke('busy-01', [overview])).results[0].error).toBeNull()
  })
})

describe('time', () => {
  it('is taken by slow-01, and said', async () => {
    const startedAt = performance.now()
    const { results } = await invoke('slow-01', [overview, { tool: 'os.cpu', params: {} }])
    const tookMs = performance.now() - startedAt
    for (const result of results) {
      expect(result.error).toBeNull()
      expect(result.agent_elapsed_ms).toBeGreaterThanOrEqual(40)
      expect(result.e2e_elapsed_ms).toBeGreaterThan(result.agent_elapsed_ms)
    }
    expect(tookMs).toBeGreaterThanOrEqual(39)
  })

  it('comes from the clock', async () => {
    await sandbox.control('clock', { now: '2026-01-01T01:00:00Z' })
    const { results } = await invoke('node-1', [overview])
    expect(results[0].data.data).toMatchObject({
      uptime_seconds: 3600,
      sampled_at: '2026-01-01T01:00:00.000Z',
    })
  })
})
