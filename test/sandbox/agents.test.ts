import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenSandbox, openSandbox, validBodies } from './open-sandbox.ts'

let sandbox: OpenSandbox
beforeAll(async () => {
  sandbox = await openSandbox({ limits: false })
})
afterAll(() => sandbox.close())

const member = 'sandbox-member'
const byoc = (environment_id: string, more: object = {}): object => ({
  environment_kind: 'byoc',
  environment_id,
  ...more,
})
const perUser = (secret_schema?: string): object => ({ auth_mode: 'per_user_secret', secret_schema })

/** The eight rules of E1; what is expected is `OK`, or a code and the field that the message begins with. */
const rules: readonly [rule: number, change: object, expected: string, key?: string][] = [
  [1, { instructions: undefined }, 'InvalidParameter instructions'],
  [2, { description: 'Answers questions.' }, 'OK'],
  [2, { description: 'Something else.' }, 'InvalidParameter description'],
  [2, { description: '' }, 'InvalidParameter description'],
  ...['http://a', 'HTTPS://A.example:8443/x?y#z', 'http://[::1]:80/card', 'https://user:word@a.example/'].map(
    (card_url): [number, object, string] => [3, { card_url }, 'OK'],
  ),
  ...[
    '',
    'agents.example.com/card.json',
    '//agents.example.com/card.json',
    'ftp://agents.example.com/card.json',
    'http:agents.example.com',
    'http:/agents.example.com',
    'http://',
    'http:///card.json',
    'https://?x=1',
    'https://#x',
    'https://:443/card.json',
    'https://user@/card.json',
    'https://user@:443/card.json',
    'http:\\\\agents.example.com',
    ' https://agents.example.com',
    'https://agents.example.com/a card.json',
    'https://agents.example.com:99999/',
    'https://[::1/',
  ].map((card_url): [number, object, string] => [3, { card_url }, 'InvalidParameter card_url']),
  [4, { auth_type: 'api_key', auth_config: { api_key: 'x' } }, 'OK'],
  [4, { auth_type: 'bearer' }, 'OK'],
  [4, { auth_type: 'oauth' }, 'InvalidParameter auth_type'],
  [5, { environment_kind: 'cloud' }, 'InvalidParameter environment_kind'],
  [5, { environment_kind: 'cloud', environment_id: 'env_account' }, 'InvalidParameter environment_kind'],
  [6, { environment_kind: 'byoc' }, 'InvalidParameter environment_id'],
  [6, byoc(''), 'InvalidParameter environment_id'],
  [6, byoc('env_account'), 'OK'],
  [6, byoc('env_team_2'), 'OK'],
  [6, byoc('env_nowhere'), 'ResourceNotFound environment_id'],
  [6, byoc('env_other'), 'ResourceNotFound environment_id'],
  [6, byoc('env_account', { team_id: 1 }), 'OK', member],
  [6, byoc('env_team_1', { team_id: 1 }), 'OK', member],
  [6, byoc('env_team_2', { team_id: 1 }), 'ResourceNotFound environment_id', member],
  [6, byoc('env_other', { team_id: 3 }), 'OK', 'sandbox-other'],
  [7, { team_id: 0 }, 'OK'],
  [7, { team_id: 2 }, 'OK'],
  [7, { team_id: 3 }, 'AccessDenied team_id'],
  [7, { team_id: 1 }, 'OK', member],
  [7, { team_id: 2 }, 'AccessDenied team_id', member],
  [7, { team_id: 0 }, 'AccessDenied team_id', member],
  [7, {}, 'AccessDenied team_id', member],
  [8, perUser('{"header_name":"X-Key"}'), 'OK'],
  ...[undefined, '', 'header_name', '[]', '{}', '{"header_name":""}', '{"header_name":7}', '"x"'].map(
    (schema): [number, object, string] => [8, perUser(schema), 'InvalidParameter secret_schema'],
  ),
  [8, { auth_mode: 'per_user_oauth', oauth_metadata: '{"issuer":"https://a.example"}' }, 'OK'],
  [8, { auth_mode: 'per_user_oauth', oauth_metadata: 'issuer' }, 'InvalidParameter oauth_metadata'],
]

describe('E1', () => {
  it.each(rules)('rule %i: %j → %s', async (_rule, change, expected, key) => {
    const { json } = await sandbox.call('E1', { ...validBodies.E1, ...change }, key)
    const error = json.error && `${json.error.code} ${json.error.message.split(':')[0]}`
    expect(error ?? 'OK').toBe(expected)
    if (expected === 'OK')
      expect(json.data).toEqual({ agent_id: expect.stringMatching(/^a2a_[A-Za-z0-9]{22}$/) })
  })

  it('keeps the agent, its credentials masked, and writes no credential anywhere else', async () => {
    const auth_config = { api_key: 'first', token: 'second', client_secret: 'third', region: 'eu' }
    const { json } = await sandbox.call('E1', { ...validBodies.E1, auth_type: 'bearer', auth_config })
    const { agents, audit } = await sandbox.control('state')
    const agent = agents.find((item: { agent_id: string }) => item.agent_id === json.data.agent_id)
    expect(agent).toMatchObject({ account_id: 1001, created_by: 501 })
    expect(agent.request.auth_config).toEqual({
      api_key: '******',
      token: '******',
      client_secret: '******',
      region: 'eu',
    })
    expect(JSON.stringify(audit)).not.toMatch(/first|second|third/)
  })
})
