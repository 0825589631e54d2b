import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { expectNoSecret, failureOf } from './failure-of.ts'
import { guest, member, openService, other, owner, validBodies } from './open-service.ts'
import { proves } from './statements.ts'

const service = await openService()

type Change = Readonly<Record<string, unknown>>
type RuleCase = readonly [id: `§${string}`, change: Change, field: string]
type CallerCase = readonly [id: `§${string}`, key: string, change: Change, outcome: string]

const byoc = (environment_id: string, more: Change = {}): Change => ({
  environment_kind: 'byoc',
  environment_id,
  ...more,
})
const perUser = (secret_schema?: string): Change => ({
  auth_mode: 'per_user_secret',
  ...(secret_schema === undefined ? {} : { secret_schema }),
})

/** Rules on the request alone: the client refuses what breaks them, and so does the sandbox. */
const broken: readonly RuleCase[] = [
  ['§E1.rule-1', { instructions: undefined }, 'instructions'],
  ['§E1.rule-1', { instructions: '' }, 'instructions'],
  ['§E1.rule-1', { instructions: undefined, description: 'Answers questions.' }, 'instructions'],
  ['§E1.rule-2', { description: 'Something else.' }, 'description'],
  ['§E1.rule-2', { description: 'answers questions.' }, 'description'],
  ['§E1.rule-2', { description: '' }, 'description'],
  ...[
    '',
    '/card.json',
    'agents.example.com/card.json',
    '//agents.example.com/card.json',
    'ftp://agents.example.com/card.json',
    'mailto:ops@example.com',
    'http:agents.example.com',
    'http:/agents.example.com',
    'https://',
    'https:///card.json',
    'https://?card=1',
    'https://#card',
    'https://:443/card.json',
    'https://user@/card.json',
    'https://user@:443/card.json',
    'http:\\\\agents.example.com',
    ' https://agents.example.com',
    'https://agents.example.com/a card.json',
    'https://agents.example.com:99999/card.json',
    'https://[::1/card.json',
    'https://agents<example>.com/card.json',
    'https://300.1.1.1/card.json',
  ].map((card_url): RuleCase => ['§E1.rule-3', { card_url }, 'card_url']),
  ['§E1.rule-4', { auth_type: 'oauth' }, 'auth_type'],
  ['§E1.rule-4', { auth_type: '' }, 'auth_type'],
  ['§E1.rule-4', { auth_type: 'Bearer' }, 'auth_type'],
  ['§E1.rule-5', { environment_kind: 'cloud' }, 'environment_kind'],
  ['§E1.rule-5', { environment_kind: 'cloud', environment_id: 'env_account' }, 'environment_kind'],
  ['§E1.rule-6', { environment_kind: 'byoc' }, 'environment_id'],
  ['§E1.rule-6', byoc(''), 'environment_id'],
  ...[
    undefined,
    '',
    'X-Key',
    '[]',
    '{}',
    '{"header_name":""}',
    '{"header_name":" "}',
    '{"header_name":7}',
    '"header_name"',
  ].map((text): RuleCase => ['§E1.rule-8', perUser(text), 'secret_schema']),
]

/** What only the service can know: who calls, and what belongs to whom. `OK`, or a code and a field. */
const byCaller: readonly CallerCase[] = [
  ['§E1.rule-2', owner, { description: 'Answers questions.' }, 'OK'],
  ['§E1.rule-3', owner, { card_url: 'HTTP://[::1]:8080/card?v=1#top' }, 'OK'],
  ['§E1.rule-3', owner, { card_url: 'https://user:word@a.example/' }, 'OK'],
  ['§E1.rule-4', owner, { auth_type: 'bearer' }, 'OK'],
  ['§E1.rule-5', owner, { environment_kind: '' }, 'OK'],
  ['§E1.rule-6', owner, byoc('env_account'), 'OK'],
  ['§E1.rule-6', owner, byoc('env_team_2'), 'OK'],
  ['§E1.rule-6', owner, byoc('env_other'), 'ResourceNotFound environment_id'],
  ['§E1.rule-6', owner, byoc('env_nowhere'), 'ResourceNotFound environment_id'],
  ['§E1.rule-6', member, byoc('env_account', { team_id: 1 }), 'OK'],
  ['§E1.rule-6', member, byoc('env_team_1', { team_id: 1 }), 'OK'],
  ['§E1.rule-6', member, byoc('env_team_2', { team_id: 1 }), 'ResourceNotFound environment_id'],
  ['§E1.rule-6', other, byoc('env_other', { team_id: 3 }), 'OK'],
  ['§E1.rule-6', other, byoc('env_account', { team_id: 3 }), 'ResourceNotFound environment_id'],
  ['§E1.rule-7', owner, {}, 'OK'],
  ['§E1.rule-7', owner, { team_id: 0 }, 'OK'],
  ['§E1.rule-7', owner, { team_id: 1 }, 'OK'],
  ['§E1.rule-7', owner, { team_id: 2 }, 'OK'],
  ['§E1.rule-7', owner, { team_id: 3 }, 'AccessDenied team_id'],
  ['§E1.rule-7', member, {}, 'AccessDenied team_id'],
  ['§E1.rule-7', member, { team_id: 0 }, 'AccessDenied team_id'],
  ['§E1.rule-7', member, { team_id: 1 }, 'OK'],
  ['§E1.rule-7', member, { team_id: 2 }, 'AccessDenied team_id'],
  ['§E1.rule-7', other, { team_id: 0 }, 'OK'],
  ['§E1.rule-7', other, { team_id: 1 }, 'AccessDenied team_id'],
  ['§E1.rule-7', other, { team_id: 3 }, 'OK'],
  ['§E1.rule-8', owner, perUser('{"header_name":"X-Agent-Key"}'), 'OK'],
  ['§E1.permission', guest, {}, 'AccessDenied'],
  ['§E1.permission', guest, { team_id: 1 }, 'AccessDenied'],
]

const bodyWith = (change: Change): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...validBodies.E1, ...change }).filter(([, value]) => value !== undefined),
  )

describe('a request that cannot be right', () => {
  it.each(broken.map((row) => [`${proves(row[0])} ${inspect(row[1])}`, ...row] as const))(
    '%s',
    async (_title, _id, change, field) => {
      const body = bodyWith(change)
      const arrived = await service.receivedDuring(async () => {
        const failure = await failureOf(service.through('E1', body))
        expect(failure).toMatchObject({
          code: 'InvalidInput',
          notSent: true,
          details: { problems: [{ path: field }] },
        })
      })
      expect(arrived).toEqual([])
      const { status, json } = await service.call('E1', body)
      expect({ status, error: `${json.error?.code} ${json.error?.message.split(':')[0]}` }).toEqual({
        status: 400,
        error: `InvalidParameter ${field}`,
      })
    },
  )
})

describe('a request that depends on who asks', () => {
  it.each(
    byCaller.map((row) => [`${proves(row[0])} ${row[1]} ${inspect(row[2])} ${row[3]}`, ...row] as const),
  )('%s', async (_title, _id, key, change, outcome) => {
    const call = service.through('E1', bodyWith(change), key)
    if (outcome === 'OK') {
      expect((await call).data).toEqual({ agent_id: expect.stringMatching(/^a2a_[A-Za-z0-9]{22}$/) })
      return
    }
    const [code, field = ''] = outcome.split(' ')
    expect(await failureOf(call)).toMatchObject({ code, message: expect.stringContaining(field) })
  })
})

const everyField = {
  agent_name: 'capacity-helper',
  instructions: 'Answers questions about capacity.',
  description: 'Answers questions about capacity.',
  card_url: 'http://127.0.0.1:1/card.json',
  auth_type: 'api_key',
  auth_config: {
    api_key: 'first-credential',
    token: 'second-credential',
    client_secret: 'third-credential',
    region: 'eu',
  },
  streaming: true,
  team_id: 1,
  environment_kind: 'byoc',
  environment_id: 'env_team_1',
  auth_mode: 'per_user_secret',
  secret_schema: '{"header_name":"X-Agent-Key"}',
  oauth_metadata: '{"issuer":"https://login.example.com"}',
  allow_insecure_oauth_http: true,
  allow_insecure_tls_skip_verify: true,
} as const

describe('an agent', () => {
  it(proves('§E1.path', '§E1.every-field', '§E1.masked', '§E1.unreachable-card'), async () => {
    let agentId = ''
    const [arrived] = await service.receivedDuring(async () => {
      const { data } = await service.client().createAgent(everyField)
      agentId = data.agent_id
    })
    expect(arrived).toMatchObject({
      method: 'POST',
      path: '/safari/a2a-agent/create',
      body: everyField,
      unknown_fields: [],
    })
    const { agents } = await service.control('state')
    const agent = agents.find((item: { agent_id: string }) => item.agent_id === agentId)
    const masked = '******'
    expect(agent).toMatchObject({ account_id: 1001, created_by: 501 })
    expect(agent.request).toEqual({
      ...everyField,
      auth_config: { api_key: masked, token: masked, client_secret: masked, region: 'eu' },
    })
  })

  it('has credentials that no error shows, whatever the service answers', async () => {
    const credentials = Object.values(everyField.auth_config).filter((value) => value !== 'eu')
    const message = `these are wrong: ${credentials.join(', ')}`
    await service.control('faults', [{ operation: 'E1', times: 1, error: { code: 'BadRequest', message } }])
    const failure = await failureOf(service.client().createAgent(everyField), credentials)
    expect(failure.message).toBe('these are wrong: ***, ***, ***')
    const refusedHere = service
      .client()
      .check('createAgent', { ...everyField, card_url: credentials[0] ?? '' })
    expect(refusedHere).toHaveLength(1)
    expectNoSecret(refusedHere, credentials)
  })
})
