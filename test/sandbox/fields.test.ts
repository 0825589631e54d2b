import { describe, expect, it } from 'vitest'
import { type OperationId, openFileSandbox, paths, validBodies } from './open-sandbox.ts'

const sandbox = await openFileSandbox({ limits: false })

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `id-${index}`)
const link = { name: 'Replay', url: 'https://replay.example.com/${application_id}', event_types: ['error'] }

describe('integers beyond 2^53', () => {
  it.each([
    ['E1', '"team_id":9007199254740993', 'team_id'],
    ['E2', '"team_id":9007199254740993', 'team_id'],
    ['E4', '"account_id":9007199254740993', 'account_id'],
    ['E5', '"delay_seconds":9007199254740993', 'delay_seconds'],
  ] as const)('%s %s: are refused', async (id, member, field) => {
    const { json } = await sandbox.send(`${paths[id]}?app_key=sandbox-owner`, {
      headers: { 'content-type': 'application/json' },
      body: `${JSON.stringify(validBodies[id]).slice(0, -1)},${member}}`,
    })
    expect(json.error).toMatchObject({
      code: 'InvalidParameter',
      message: expect.stringMatching(new RegExp(`^${field}: `)),
    })
  })
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
