import { beforeEach, describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { openService, operationIds, validBodies } from './open-service.ts'
import { proves } from './statements.ts'

// Two services of one seed and one time, so that what they answer differs in nothing but its shape.
const document = await openService()
const newer = await openService({ shape: 'newer' })
beforeEach(async () => {
  for (const service of [document, newer]) await service.control('clock', { now: '2026-03-01T12:00:00Z' })
})

const tools = [
  { tool: 'os.top_processes', params: { top_n: 1 } },
  { tool: 'os.cpu', params: {} },
  { tool: 'net.tcp_ping', params: { host: 'down-01', port: 22 } },
]

describe('both shapes', () => {
  it.each([...operationIds, 'catalog'] as const)('%s: the same answer through the client', async (id) => {
    const answers = [await document.through(id), await newer.through(id)]
    // A call and its answer are two lines in a newer record, and each line says more.
    if (id === 'E6')
      for (const { data } of answers) for (const key of ['bytes', 'lines', 'sha256']) delete data[key]
    const [old, recent] = answers.map(({ data, warnings }) => ({ data: comparable(data), warnings }))
    expect(recent).toEqual(old)
    expect(old?.warnings).toEqual([])
    if (id !== 'E6') expect((await newer.call(id)).json).not.toEqual((await document.call(id)).json)
  })
})

/** Without what the newer shape leaves out, and without the names of files. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const left = ['agent_elapsed_ms', 'e2e_elapsed_ms', 'reason', 'path', 'params']
  const fields = Object.entries(value).filter(([name]) => !left.includes(name))
  return Object.fromEntries(fields.map(([name, field]) => [name, comparable(field)]))
}

describe('E4', () => {
  it(proves('§newer.E4-unwrapped', '§newer.E4-absent', '§newer.E4-elapsed'), async () => {
    const input = { target_locator: 'web-01', tools }
    const raw = (await newer.call('E4', input)).json.data
    expect(Object.keys(raw).sort()).toEqual(['results', 'target'])
    expect(raw.results.map(({ params }: { params: object }) => params)).toEqual(
      tools.map(({ params }) => params),
    )
    expect(raw.results[0]).toMatchObject({ summary: expect.any(String), truncated: { reason: 'row_limit' } })
    expect(raw.results[1]).not.toHaveProperty('error')
    expect(raw.results[2]).not.toHaveProperty('data')

    const { data } = await newer.client().invokeTools(input)
    expect(data).toEqual({
      target: { kind: 'host', locator: 'web-01' },
      results: [
        {
          tool: 'os.top_processes',
          tool_version: expect.any(String),
          params: { top_n: 1 },
          data: {
            data: raw.results[0].data,
            summary: raw.results[0].summary,
            truncated: { truncated: true, reason: 'row_limit' },
          },
          error: null,
        },
        {
          tool: 'os.cpu',
          tool_version: expect.any(String),
          params: {},
          data: {
            data: raw.results[1].data,
            summary: raw.results[1].summary,
            truncated: { truncated: false },
          },
          error: null,
        },
        {
          tool: 'net.tcp_ping',
          tool_version: expect.any(String),
          params: { host: 'down-01', port: 22 },
          data: null,
          error: { code: 'target_unreachable', message: expect.any(String) },
        },
      ],
      error: null,
      total: 3,
      succeeded: 2,
      failed: 1,
      failures: [expect.objectContaining({ index: 2, code: 'target_unreachable' })],
    })
    const old = await document.client().invokeTools(input)
    expect(comparable(data)).toEqual(comparable(old.data))
  })
})

describe('E6', () => {
  const read = async (session_id: string): Promise<readonly Record<string, unknown>[]> => {
    const { text } = await newer.call('E6', { session_id, include_subagents: true })
    return text
      .trimEnd()
      .split('\n')
      .map((row: string) => JSON.parse(row))
  }

  it(proves('§newer.E6-lines'), async () => {
    const [meta, ...events] = await read('sess_nested')
    expect(meta).toMatchObject({ type: 'session_meta', session_id: 'sess_nested' })
    const calls = events.filter(({ type }) => type === 'tool_call')
    expect(calls.slice(0, 2)).toMatchObject([
      { session_id: 'sess_nested_disk_smart', entry_kind: 'request', input: expect.any(Object) },
      {
        session_id: 'sess_nested_disk_smart',
        entry_kind: 'answer',
        call_id: calls[0]?.['call_id'],
        output: {},
      },
    ])
    const file = newer.file()
    const input = { session_id: 'sess_nested', include_subagents: true }
    const { data } = await newer.client().exportSession(input, { file })
    expect(data).toMatchObject({ complete: 'yes', lines: 22, sub_sessions: 3, signs: [] })
  })

  it(proves('§newer.E6-failure'), async () => {
    const content = 'the storage of the record did not answer'
    expect((await read('sess_broken')).at(-1)).toEqual({ type: 'error', content })
    const failure = await failureOf(newer.through('E6', { session_id: 'sess_broken' }))
    expect(failure).toMatchObject({
      code: 'TruncatedExport',
      message: expect.stringContaining(`it ends with an error line (${content})`),
      details: { signs: ['final_error_line'] },
    })
  })
})

describe('the rest', () => {
  it(proves('§newer.E7'), async () => {
    expect((await document.call('E7')).json).not.toHaveProperty('data')
    expect((await newer.call('E7')).json.data).toEqual({})
    expect((await document.client().disableRule(validBodies.E7)).data).toEqual({})
    expect((await newer.client().disableRule(validBodies.E7)).data).toEqual({})
  })

  it.each(['OK', 'ok', 'Ok', '', '0', 0, null])(`${proves('§newer.error-ok')} %j`, async (code) => {
    document.gateway.change = (answer) => ({
      ...answer,
      body: JSON.stringify({ ...JSON.parse(answer.body), error: { code, message: '' } }),
    })
    const client = document.client({ baseUrl: document.gateway.url })
    expect((await client.listIngestionRules(validBodies.E9)).data.items).toHaveLength(2)
    expect((await client.createApplication(validBodies.E2)).data.application_name).toBe('shop')
  })

  it(proves('§newer.request-id'), async () => {
    // A stream has no body that could hold the id.
    for (const id of ['E6', 'E9'] as const) {
      const { headers } = await newer.call(id)
      expect(headers).toHaveProperty('vendor-request-id')
      expect(headers).not.toHaveProperty('service-request-id')
      let shown: string | undefined
      const [arrived] = await newer.receivedDuring(async () => {
        shown = (await newer.through(id)).requestId
      })
      expect(shown).toBe(arrived?.request_id)
    }
  })

  it(proves('§newer.tracing'), async () => {
    const tracing = { enabled: true, open_type: 'tab', endpoint: 'https://apm.example.com/${trace_id}' }
    for (const service of [document, newer]) {
      const client = service.client()
      for (const name of ['tracing', 'the service']) {
        const [arrived] = await service.receivedDuring(async () => {
          const { data } = await client.createApplication({ ...validBodies.E2, [name]: tracing })
          const { items } = (await client.getApplications({ application_ids: [data.application_id] })).data
          expect(items[0]).toMatchObject({ tracing, 'the service': tracing })
        })
        // What an author wrote is what is sent.
        expect(arrived?.body).toEqual({ ...validBodies.E2, [name]: tracing })
      }
    }
  })
})
