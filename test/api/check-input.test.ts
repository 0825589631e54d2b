import { type OperationMethod, operations, RunbookError } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { clientOf, startStandIn } from './stand-in.ts'

const agent = { agent_name: 'a', instructions: 'b', card_url: 'https://agents.example.com/card.json' }
const application = { application_name: 'checkout-web', type: 'browser', team_id: 1 }
const tools = { target_locator: 'web-01', tools: [{ tool: 'os.overview' }] }
const query = { ds_type: 'prometheus', ds_name: 'prom-main', expr: 'up' }
const itself: Record<string, unknown> = { ...tools }
itself['tools'] = [{ tool: 'x', params: { itself } }]
const deep = JSON.parse(`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`)
// biome-ignore lint/suspicious/noSparseArray: a hole is the case
const holes = [{ tool: 'x' }, , { tool: 'y' }]

/** An input, and the problems it has: a part of the message by path. */
const rows: readonly {
  readonly method: OperationMethod
  readonly input: unknown
  readonly problems: Readonly<Record<string, string>>
}[] = [
  { method: 'createAgent', input: agent, problems: {} },
  { method: 'createAgent', input: undefined, problems: { '': 'undefined' } },
  { method: 'createAgent', input: 'text', problems: { '': 'must be an object, not a string' } },
  { method: 'createAgent', input: [], problems: { '': 'must be an object, not an array' } },
  {
    method: 'createAgent',
    input: {},
    problems: { agent_name: 'is required', instructions: 'is required', card_url: 'is required' },
  },
  {
    method: 'createAgent',
    input: { ...agent, agent_nam: 'x', zzz: 1 },
    problems: { agent_nam: 'did you mean "agent_name"?', zzz: 'is not a known field; known: agent_name, ' },
  },
  {
    method: 'createAgent',
    input: { ...agent, agent_name: 'x'.repeat(129), instructions: '😀'.repeat(2001) },
    problems: { agent_name: 'has 129 characters; at most 128' },
  },
  { method: 'createAgent', input: { ...agent, instructions: '😀'.repeat(2000) }, problems: {} },
  {
    method: 'createAgent',
    input: { ...agent, auth_type: 'beerer', environment_kind: 'cloud' },
    problems: { auth_type: 'did you mean "bearer"?', environment_kind: 'must be one of' },
  },
  {
    method: 'createAgent',
    input: { ...agent, description: 'other', environment_kind: 'byoc', auth_mode: 'per_user_secret' },
    problems: { description: 'identical', environment_id: 'is required', secret_schema: 'header_name' },
  },
  { method: 'createAgent', input: { ...agent, card_url: '/card' }, problems: { card_url: 'absolute' } },
  {
    method: 'createAgent',
    input: { ...agent, agent_name: undefined },
    problems: { agent_name: 'undefined' },
  },
  {
    method: 'createAgent',
    input: { ...agent, streaming: 'yes' },
    problems: { streaming: 'a boolean, not a string' },
  },
  {
    method: 'createAgent',
    input: { ...agent, auth_config: { token: 7, 'x y': null } },
    problems: { 'auth_config.token': 'a string, not a number', 'auth_config["x y"]': 'a string, not null' },
  },
  {
    method: 'createApplication',
    input: { ...application, team_id: 1.5 },
    problems: { team_id: 'not a fraction' },
  },
  {
    method: 'createApplication',
    input: { ...application, team_id: -1 },
    problems: { team_id: 'at least 0' },
  },
  {
    method: 'createApplication',
    input: { ...application, team_id: 2 ** 53 },
    problems: { team_id: 'beyond 2^53' },
  },
  {
    method: 'createApplication',
    input: { ...application, team_id: '1' },
    problems: { team_id: 'an integer' },
  },
  {
    method: 'createApplication',
    input: { ...application, team_id: 1n },
    problems: { team_id: 'is a bigint' },
  },
  {
    method: 'createApplication',
    input: { ...application, team_id: Number.NaN },
    problems: { team_id: 'NaN' },
  },
  {
    method: 'createApplication',
    input: { ...application, tracing: {}, 'the service': {} },
    problems: { tracing: 'two names of one field' },
  },
  {
    method: 'createApplication',
    input: {
      ...application,
      links: { systems: [{ name: 'x', url: 'ftp://x', event_types: [], icon_color: 'red' }] },
    },
    problems: {
      'links.systems[0].url': 'must match',
      'links.systems[0].event_types': 'at least one',
      'links.systems[0].icon_color': 'must match',
    },
  },
  {
    method: 'createApplication',
    input: { ...application, alerting: { enabled: true, chanel_ids: [1] } },
    problems: { 'alerting.chanel_ids': 'did you mean "channel_ids"?' },
  },
  {
    method: 'getApplications',
    input: { application_ids: [] },
    problems: { application_ids: 'at least one' },
  },
  {
    method: 'getApplications',
    input: { application_ids: ['a', ''] },
    problems: { 'application_ids[1]': 'empty' },
  },
  { method: 'getApplications', input: { application_ids: Array(1000).fill('a') }, problems: {} },
  {
    method: 'invokeTools',
    input: { ...tools, target_locator: 'a b' },
    problems: { target_locator: 'must match' },
  },
  {
    method: 'invokeTools',
    input: { ...tools, target_locator: 'ä'.repeat(129) },
    problems: { target_locator: 'is 258 bytes long' },
  },
  { method: 'invokeTools', input: { ...tools, target_locator: 'ä'.repeat(128) }, problems: {} },
  { method: 'invokeTools', input: { ...tools, tools: holes }, problems: { 'tools[1]': 'undefined' } },
  {
    method: 'invokeTools',
    input: itself,
    problems: { 'tools[0].params.itself': 'contains itself' },
  },
  {
    method: 'invokeTools',
    input: { ...tools, tools: [{ tool: 'x', params: deep }] },
    problems: { [`tools[0].params${'.a'.repeat(197)}`]: 'nested deeper than 200 levels' },
  },
  ...Object.entries({
    'is a Date': new Date(0),
    'is a Map': new Map(),
    'is a Uint8Array': new Uint8Array(1),
    'is a function': () => {},
    'is a symbol': Symbol('x'),
    'is undefined': undefined,
    'not Infinity': Number.POSITIVE_INFINITY,
    'half of a pair': '\ud800',
    'is a name that': { '\udc00': 1 },
  }).map(([message, value]) => ({
    method: 'invokeTools' as const,
    input: { ...tools, tools: [{ tool: 'x', params: { v: value } }] },
    problems: {
      [message.startsWith('is a name') ? 'tools[0].params.v["\\udc00"]' : 'tools[0].params.v']: message,
    },
  })),
  {
    method: 'previewDatasource',
    input: { ...query, args: { limit: 5 } },
    problems: { 'args.limit': 'a string' },
  },
]

describe('an input', () => {
  it.each(rows)('of $method is checked: $problems', ({ method, input, problems }) => {
    const found = clientOf('http://127.0.0.1:1').check(method, input as never)
    expect(found.map(({ path }) => path).sort()).toEqual(Object.keys(problems).sort())
    for (const { path, message } of found) expect(message).toContain(problems[path])
  })

  it('is refused with all its problems and not sent', async () => {
    const service = await startStandIn(() => ({}))
    const client = service.client()
    const wrong = { agent_name: '', card_url: 'x', instruction: 'y' }
    const error = await client.createAgent(wrong as never).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(RunbookError)
    expect(error).toMatchObject({
      code: 'InvalidInput',
      notSent: true,
      details: {
        problems: [
          { path: 'instruction', message: 'is not a known field; did you mean "instructions"?' },
          { path: 'agent_name', message: 'must not be empty' },
        ],
      },
    })
    expect((error as Error).message).toContain('safari/a2a-agent/create: ')
    expect(service.received).toHaveLength(0)
  })

  it('names ten problems in the message and keeps a hundred as data', async () => {
    const items = Array.from({ length: 300 }, () => '')
    const call = clientOf('http://127.0.0.1:1').getApplications({ application_ids: items })
    const error = (await call.catch((error: unknown) => error)) as RunbookError
    expect(error.message).toContain('and 290 more')
    expect(error.details).toMatchObject({ problems: { length: 100 } })
  })

  it('with a value that the document does not list is sent with a warning', async () => {
    const service = await startStandIn(() => ({
      application_id: 'a',
      application_name: 'b',
      client_token: 'c',
    }))
    const { warnings } = await service.client().createApplication({ ...application, type: 'electron' })
    expect(warnings).toEqual([expect.stringContaining('type is none of the values that the document lists')])
    expect(service.received).toHaveLength(1)
  })

  it('is sent as it was when the call was made', async () => {
    const service = await startStandIn(() => ({ agent_id: 'a' }))
    const input = { ...agent, auth_config: { token: 'first' } }
    const call = service.client().createAgent(input)
    input.auth_config.token = 'second'
    await call
    expect(JSON.parse(service.received[0]?.body ?? '')).toMatchObject({ auth_config: { token: 'first' } })
  })

  it('cannot change the prototype of anything', async () => {
    const service = await startStandIn(() => ({
      results: [{ tool: 'x', data: { data: {} }, error: null }],
      error: null,
    }))
    const params = JSON.parse('{"__proto__":{"polluted":true}}')
    await service.client().invokeTools({ target_locator: 'a', tools: [{ tool: 'x', params }] })
    expect(service.received[0]?.body).toContain('"params":{"__proto__":{"polluted":true}}')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('the options of a call', () => {
  const client = () => clientOf('http://127.0.0.1:1')
  const wrong: readonly [name: string, call: () => Promise<unknown>, path: string][] = [
    ['no time at all', () => client().createAgent(agent, { timeoutMs: 0 }), 'timeoutMs'],
    [
      'time that is too short for the operation',
      () => client().createAgent(agent, { timeoutMs: 0.5 }),
      'timeoutMs',
    ],
    ['endless time', () => client().createAgent(agent, { timeoutMs: Number.POSITIVE_INFINITY }), 'timeoutMs'],
    ['time that is text', () => client().createAgent(agent, { timeoutMs: '5s' as never }), 'timeoutMs'],
    ['a priority that is no number', () => client().createAgent(agent, { priority: Number.NaN }), 'priority'],
    ['a signal that is none', () => client().createAgent(agent, { signal: {} as never }), 'signal'],
    [
      'a signal before sending that is none',
      () => client().createAgent(agent, { signalBeforeSending: 1 as never }),
      'signalBeforeSending',
    ],
    ['an export to nowhere', () => client().exportSession({ session_id: 's' }, {} as never), 'file'],
    ['an attempt to export to nowhere', () => client().attempt('exportSession', { session_id: 's' }), 'file'],
    ['an unknown operation', () => client().attempt('creatAgent' as never, agent), 'method'],
  ]
  it.each(wrong)('are refused: %s', async (_, call, path) => {
    await expect(call()).rejects.toMatchObject({
      code: 'InvalidInput',
      details: { problems: [{ path, message: expect.any(String) }] },
    })
  })
})

it('every operation refuses unknown fields', () => {
  for (const method of Object.keys(operations) as OperationMethod[]) {
    const problems = clientOf('http://127.0.0.1:1').check(method, { unheard_of: 1 })
    expect(problems).toContainEqual({
      path: 'unheard_of',
      message: expect.stringContaining('not a known field'),
    })
  }
})
