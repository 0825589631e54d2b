import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenSandbox, type OperationId, openSandbox, validBodies } from './open-sandbox.ts'

let sandbox: OpenSandbox
beforeAll(async () => {
  sandbox = await openSandbox({ limits: false })
})
afterAll(() => sandbox.close())

type Case = readonly [id: OperationId, change: Record<string, unknown>, field: string]

const text = (length: number): string => 'ü'.repeat(length)
const tools = (count: number): unknown[] =>
  Array.from({ length: count }, () => ({ tool: 'os.cpu', params: {} }))
const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `id-${index}`)
const links = (system: object): Record<string, unknown> => ({
  links: { enabled: true, systems: [{ ...link, ...system }] },
})
const link = { name: 'Replay', url: 'https://replay.example.com/${application_id}', event_types: ['error'] }

const missing: readonly Case[] = (
  [
    ['E1', ['agent_name', 'instructions', 'card_url']],
    ['E2', ['application_name', 'type', 'team_id']],
    ['E3', ['application_ids']],
    ['E4', ['target_locator', 'tools']],
    ['E5', ['ds_type', 'ds_name', 'expr']],
    ['E6', ['session_id']],
    ['E7', ['application_id', 'rule_id']],
    ['E8', ['post_mortem_id', 'status']],
    ['E9', ['application_id']],
    ['catalog', ['target_locator']],
  ] as const
).flatMap(([id, fields]) => fields.map((field): Case => [id, { [field]: undefined }, field]))

const wrong: readonly Case[] = [
  ['E1', { agent_name: text(129) }, 'agent_name'],
  ['E1', { agent_name: '' }, 'agent_name'],
  ['E1', { agent_name: 7 }, 'agent_name'],
  ['E1', { agent_name: null }, 'agent_name'],
  ['E1', { instructions: text(2001) }, 'instructions'],
  ['E1', { auth_type: 'basic' }, 'auth_type'],
  ['E1', { auth_type: '' }, 'auth_type'],
  ['E1', { auth_config: { token: 5 } }, 'auth_config.token'],
  ['E1', { auth_config: [] }, 'auth_config'],
  ['E1', { streaming: 'yes' }, 'streaming'],
  ['E1', { team_id: '1' }, 'team_id'],
  ['E1', { team_id: 1.5 }, 'team_id'],
  ['E1', { team_id: -1 }, 'team_id'],
  ['E1', { environment_kind: 'cloud' }, 'environment_kind'],
  ['E1', { environment_kind: 'BYOC' }, 'environment_kind'],
  ['E1', { auth_mode: 'per_user' }, 'auth_mode'],
  ['E1', { secret_schema: {} }, 'secret_schema'],
  ['E1', { allow_insecure_oauth_http: 1 }, 'allow_insecure_oauth_http'],
  ['E1', { allow_insecure_tls_skip_verify: 'true' }, 'allow_insecure_tls_skip_verify'],
  ['E2', { application_name: '' }, 'application_name'],
  ['E2', { application_name: text(41) }, 'application_name'],
  ['E2', { type: 'electron' }, 'type'],
  ['E2', { team_id: '1' }, 'team_id'],
  ['E2', { is_private: 'no' }, 'is_private'],
  ['E2', { no_ip: 0 }, 'no_ip'],
  ['E2', { no_geo: null }, 'no_geo'],
  ['E2', { alerting: { channel_ids: ['1'] } }, 'alerting.channel_ids[0]'],
  ['E2', { 'the service': { open_type: 'window' } }, 'the service.open_type'],
  ['E2', { tracing: { enabled: 'yes' } }, 'tracing.enabled'],
  ['E2', { tracing: {}, 'the service': {} }, 'tracing'],
  ['E2', links({ url: 'ftp://replay.example.com' }), 'links.systems[0].url'],
  ['E2', links({ icon_color: 'red' }), 'links.systems[0].icon_color'],
  ['E2', links({ event_types: ['log'] }), 'links.systems[0].event_types[0]'],
  ['E2', links({ event_types: [] }), 'links.systems[0].event_types'],
  ['E2', links({ name: undefined }), 'links.systems[0].name'],
  ['E3', { application_ids: 'one' }, 'application_ids'],
  ['E3', { application_ids: [] }, 'application_ids'],
  ['E3', { application_ids: [1] }, 'application_ids[0]'],
  ['E3', { application_ids: ids(201) }, 'application_ids'],
  ['E4', { target_locator: 'web 01' }, 'target_locator'],
  ['E4', { target_locator: 'web|01' }, 'target_locator'],
  ['E4', { target_locator: 'web\u000001' }, 'target_locator'],
  ['E4', { target_locator: text(129) }, 'target_locator'],
  ['E4', { tools: [] }, 'tools'],
  ['E4', { tools: tools(9) }, 'tools'],
  ['E4', { tools: [{ params: {} }] }, 'tools[0].tool'],
  ['E4', { tools: [{ tool: 'os.cpu' }] }, 'tools[0].params'],
  ['E4', { tools: [...tools(2), { tool: 'os.cpu', params: [] }] }, 'tools[2].params'],
  ['E4', { account_id: 2002 }, 'account_id'],
  ['E4', { account_id: '1001' }, 'account_id'],
  ['E5', { ds_type: 'loki' }, 'ds_type'],
  ['E5', { expr: '' }, 'expr'],
  ['E5', { delay_seconds: -1 }, 'delay_seconds'],
  ['E5', { delay_seconds: 0.5 }, 'delay_seconds'],
  ['E5', { args: { limit: 5 } }, 'args.limit'],
  ['E6', { session_id: 7 }, 'session_id'],
  ['E6', { include_subagents: 'true' }, 'include_subagents'],
  ['E7', { rule_id: 7 }, 'rule_id'],
  ['E8', { status: 'draft' }, 'status'],
  ['E8', { post_mortem_id: [] }, 'post_mortem_id'],
  ['E9', { application_id: {} }, 'application_id'],
  ['catalog', { account_id: 2002 }, 'account_id'],
  ['catalog', { target_locator: text(129) }, 'target_locator'],
]

const allowed: readonly (readonly [id: OperationId, change: Record<string, unknown>])[] = [
  ['E1', { agent_name: text(128), instructions: text(2000) }],
  ['E1', { environment_kind: '', team_id: 0, auth_type: 'none', auth_mode: 'shared' }],
  ['E2', { application_name: text(40) }],
  ['E2', { application_name: 'x', team_id: 0 }],
  [
    'E2',
    links({
      icon_color: '#aB09fF',
      event_types: ['crash', 'error', 'view', 'action', 'resource', 'session', 'all'],
    }),
  ],
  ['E2', { tracing: { enabled: true, open_type: 'tab', endpoint: 'https://apm.example.com/${trace_id}' } }],
  ...['browser', 'ios', 'android', 'react-native', 'flutter', 'kotlin-multiplatform', 'roku', 'unity'].map(
    (type) => ['E2', { type }] as const,
  ),
  ['E3', { application_ids: ids(200) }],
  ['E4', { target_locator: text(128) }],
  ['E4', { tools: tools(8), account_id: 1001 }],
  ['E4', { account_id: 0 }],
  ['E5', { delay_seconds: 0, args: {} }],
]

const describeChange = (change: unknown): string =>
  JSON.stringify(change, (_key, value) => (value === undefined ? 'absent' : value)).slice(0, 70)

describe('fields', () => {
  it.each([...missing, ...wrong].map((entry) => [...entry, describeChange(entry[1])] as const))(
    '%s refuses %4$s',
    async (id, change, field) => {
      const { status, json } = await sandbox.call(id, { ...validBodies[id], ...change })
      expect({ status, code: json.error?.code, field: json.error?.message.split(':')[0] }).toEqual({
        status: 400,
        code: 'InvalidParameter',
        field,
      })
    },
  )

  it.each(allowed.map((entry) => [...entry, describeChange(entry[1])] as const))(
    '%s allows %3$s',
    async (id, change) => {
      expect(await sandbox.call(id, { ...validBodies[id], ...change })).toMatchObject({ status: 200 })
    },
  )
})

describe('unknown fields', () => {
  const cases: readonly [id: OperationId, change: Record<string, unknown>, header: string][] = [
    ['E1', { agentname: 'x', auth_config: { anything: 'goes' } }, '/agentname'],
    [
      'E2',
      { alerting: { channels: [] }, links: { systems: [{ ...link, color: '' }] } },
      '/alerting/channels,/links/systems/0/color',
    ],
    ['E4', { tools: [{ tool: 'os.cpu', params: {}, timeout: 5 }] }, '/tools/0/timeout'],
    ['E6', { 'a/b~c, größe': 1 }, '/a~1b~0c%2C%20gr%C3%B6%C3%9Fe'],
  ]
  it.each(cases)('%s %j → %s', async (id, change, header) => {
    const reply = await sandbox.call(id, { ...validBodies[id], ...change })
    expect(reply.status).toBe(200)
    expect(reply.headers['sandbox-unknown-fields']).toBe(header)
  })

  it('are named in a refusal too, and in the query', async () => {
    const refused = await sandbox.call('E8', { statuss: 'published' }, 'sandbox-owner&appkey=x')
    expect(refused.json.error.code).toBe('InvalidParameter')
    expect(refused.headers['sandbox-unknown-fields']).toBe('?appkey,/statuss')
  })

  it('are counted when there are many', async () => {
    const many = Object.fromEntries(ids(300).map((name) => [`${name}${'x'.repeat(300)}`, 1]))
    const reply = await sandbox.call('E9', { ...validBodies.E9, ...many })
    expect(reply.status).toBe(200)
    expect(String(reply.headers['sandbox-unknown-fields'])).toMatch(/^\/id-0x+,.*,\+250$/)
  })

  it('are none in a body that the document describes', async () => {
    expect((await sandbox.call('E1')).headers['sandbox-unknown-fields']).toBeUndefined()
  })
})
