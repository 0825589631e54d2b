import { createClient } from 'opsbook/api'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { methodOf, openService, paths, type Service, validBodies } from './open-service.ts'

let service: Service
beforeAll(async () => {
  service = await openService()
})
afterEach(() => service.reset())
afterAll(() => service.close())

const json = { 'content-type': 'application/json' }

describe('options of a client', () => {
  const cases: readonly [options: object, code: string, path: string][] = [
    [{ appKey: '' }, 'MissingKey', 'appKey'],
    [{ appKey: undefined }, 'MissingKey', 'appKey'],
    [{ appKey: 'two\nlines' }, 'InvalidInput', 'appKey'],
    [{ appKey: 7 }, 'InvalidInput', 'appKey'],
    [{ baseUrl: undefined }, 'InvalidInput', 'baseUrl'],
    [{ baseUrl: 'api.example.com' }, 'InvalidInput', 'baseUrl'],
    [{ baseUrl: 'ftp://api.example.com' }, 'InvalidInput', 'baseUrl'],
    [{ baseUrl: 'http://127.0.0.1:1/?app_key=sandbox-owner' }, 'InvalidInput', 'baseUrl'],
    [{ baseUrl: 'http://user:sandbox-owner@127.0.0.1' }, 'InvalidInput', 'baseUrl'],
    [{ apKey: 'sandbox-owner' }, 'InvalidInput', 'apKey'],
    [{ maxWaitMs: '1s' }, 'InvalidInput', 'maxWaitMs'],
    [{ limits: { invokeTool: 'off' } }, 'InvalidInput', 'limits'],
  ]
  it.each(cases)('%j: %s', async (options, code, path) => {
    const create = async (): Promise<unknown> =>
      createClient({ baseUrl: service.url, appKey: 'sandbox-owner', ...options } as never)
    const failure = await failureOf(create())
    expect(failure).toMatchObject({ code, notSent: true, message: expect.stringContaining(path) })
  })
})

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `id-${index}`)
const tools = (count: number): readonly object[] =>
  Array.from({ length: count }, () => ({ tool: 'os.cpu', params: {} }))

describe('more than one call takes', () => {
  it.each([
    ['E3', { application_ids: ids(201) }, 'application_ids', '200'],
    ['E4', { target_locator: 'web-01', tools: tools(9) }, 'tools', '8'],
  ] as const)(
    '%s: refused by the sandbox, and by an attempt before sending',
    async (id, body, field, max) => {
      const { status, json: envelope } = await service.call(id, body)
      expect({ status, ...envelope.error }).toEqual({
        status: 400,
        code: 'InvalidParameter',
        message: expect.stringMatching(new RegExp(`^${field}: .*${max}`)),
      })
      const arrived = await service.receivedDuring(async () => {
        const failure = await failureOf(service.client().attempt(methodOf(id), body as never))
        expect(failure).toMatchObject({ code: 'InvalidInput', details: { problems: [{ path: field }] } })
        expect(failure.message).toContain(max)
      })
      expect(arrived).toEqual([])
    },
  )
})

const beyond = 2 ** 53

describe('integers beyond 2^53', () => {
  it.each([
    ['E1', { team_id: beyond }, 'team_id'],
    ['E2', { alerting: { channel_ids: [1, beyond] } }, 'alerting.channel_ids[1]'],
    ['E4', { account_id: beyond }, 'account_id'],
    ['E4', { tools: [{ tool: 'os.cpu', params: { top_n: beyond } }] }, 'tools[0].params.top_n'],
    ['E5', { delay_seconds: beyond }, 'delay_seconds'],
  ] as const)('%s %j: are not sent, since they would lose digits', async (id, change, field) => {
    const arrived = await service.receivedDuring(async () => {
      const failure = await failureOf(service.through(id, { ...validBodies[id], ...change }))
      expect(failure).toMatchObject({ code: 'InvalidInput', details: { problems: [{ path: field }] } })
    })
    expect(arrived).toEqual([])
  })

  it.each([
    ['E1', '"team_id":9007199254740993', 'team_id'],
    ['E2', '"team_id":9007199254740993', 'team_id'],
    ['E4', '"account_id":9007199254740993', 'account_id'],
    ['E5', '"delay_seconds":9007199254740993', 'delay_seconds'],
  ] as const)('%s %s: are refused by the sandbox', async (id, member, field) => {
    const body = `${JSON.stringify(validBodies[id]).slice(0, -1)},${member}}`
    const { json: envelope } = await service.send(`${paths[id]}?app_key=sandbox-owner`, {
      headers: json,
      body,
    })
    expect(envelope.error).toMatchObject({
      code: 'InvalidParameter',
      message: expect.stringMatching(new RegExp(`^${field}: `)),
    })
  })

  it('come back as text, with a warning, and lose no digit', async () => {
    service.gateway.change = (answer) => ({
      ...answer,
      body: answer.body.replace('"account_id":1001', '"account_id":9007199254740993'),
    })
    const { data, warnings } = await service
      .client({ baseUrl: service.gateway.url })
      .getApplications(validBodies.E3)
    expect(data.items[0]?.account_id).toBe('9007199254740993')
    expect(data.items[0]?.team_id).toBe(1)
    expect(warnings).toEqual([expect.stringMatching(/data\.items\[0\]\.account_id .*2\^53/)])
  })

  it('come back as text from a session, and are on disk as they came', async () => {
    const lines: unknown[] = []
    for await (const line of service.client().streamSession({ session_id: 'sess_numbers' })) lines.push(line)
    expect(lines.at(-1)).toMatchObject({ output: { trace_id: '9007199254740993' } })
    const { data } = await service.through('E6', { session_id: 'sess_numbers' })
    expect(data.complete).toBe('yes')
  })
})

describe('values of a wrong type anywhere', () => {
  const wrong: readonly unknown[] = [
    undefined,
    null,
    'text',
    7,
    [],
    new Date(),
    new Map(),
    () => {},
    { application_id: undefined },
    { application_id: Symbol('x') },
    { application_id: 10n },
    { application_id: '\ud800' },
    { application_id: 'x', aplication_id: 'x' },
    { application_id: 'x', nested: { deep: Number.NaN } },
  ]
  it.each(wrong.map((value, index) => [index, value] as const))('%i', async (_index, value) => {
    const arrived = await service.receivedDuring(async () => {
      const call = service.client().listIngestionRules(value as never)
      const failure = await failureOf(call)
      expect(failure).toMatchObject({ code: 'InvalidInput', notSent: true })
    })
    expect(arrived).toEqual([])
  })

  it('a field with a typing error is named with its nearest name, and reported by the sandbox', async () => {
    const body = { ...validBodies.E6, include_subagent: true }
    const failure = await failureOf(service.through('E6', body))
    expect(failure.message).toMatch(/include_subagent is not a known field.*include_subagents/)
    expect((await service.call('E6', body)).headers['sandbox-unknown-fields']).toBe('/include_subagent')
  })
})
