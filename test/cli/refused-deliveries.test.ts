import { expect, test } from 'vitest'
import { openConsole } from '../console/support/open-console.ts'
import { startServing } from '../security/support/serve-in-process.ts'
import { newFolder, opsbook } from './support/opsbook.ts'

const secret = 'token-canary-5521'
const configuration = `hooks:
  alerts:
    auth: { type: token, header: X-Token, secret: env:ALERT_TOKEN }
    event: incident
    map: { incident: "\${{ body.data }}" }
`

test('deliveries that were refused are listed, with why, also after serve has ended', async () => {
  const folder = await newFolder({ 'opsbook.yaml': configuration })
  const list = async (...words: string[]) => {
    const listed = await opsbook(['events', '--refused', '--data-dir', 'data', '-o', 'json', ...words], {
      folder,
    })
    expect(listed).toMatchObject({ code: 0 })
    return JSON.parse(listed.stdout).refused
  }
  expect(await list()).toEqual([])
  const { url, stop } = await startServing(['--data-dir', 'data'], {
    folder,
    env: { ALERT_TOKEN: secret, OPSBOOK_LOG_LEVEL: 'silent' },
  })
  const deliver = async (headers: Record<string, string>, body: string, name = 'alerts') =>
    (await fetch(`${url}/hooks/${name}`, { method: 'POST', headers, body })).status
  const json = { 'content-type': 'application/json' }
  const known = { ...json, 'x-token': secret }
  expect(await deliver(json, '{}')).toBe(401)
  expect(await deliver(json, '{}')).toBe(401)
  expect(await deliver({ ...known, 'content-type': 'text/plain' }, '{}')).toBe(415)
  expect(await deliver({ ...known, 'webhook-id': 'one' }, '{}')).toBe(400)
  expect(await deliver(known, '{}', 'nothing')).toBe(404)
  expect(await deliver({ ...known, 'webhook-id': 'two' }, '{"data":{"id":"1"}}')).toBe(200)
  expect((await stop()).code).toBe(0)

  expect(await list()).toMatchObject([
    { status: 404, reason: 'there is no such hook', count: 1 },
    { hook: 'alerts', status: 400, reason: expect.stringContaining('body.data'), count: 1 },
    { hook: 'alerts', status: 415, count: 1 },
    { hook: 'alerts', status: 401, reason: 'the delivery is not authenticated', count: 2 },
  ])
  expect(await list('--hook', 'alerts', '--limit', '1')).toMatchObject([{ status: 400 }])
  expect(await list('--since', '2099-01-01')).toEqual([])
  const text = await opsbook(['events', '--refused', '--data-dir', 'data'], { folder })
  expect(text.stdout).toMatch(/^LAST +STATUS +HOOK +REASON\n/)
  expect(text.stdout).toMatch(/401 +alerts +2 times +the delivery is not authenticated/)
  expect(text.stdout).not.toContain(secret)
  const console = await openConsole(`${folder}/data`, { folder })
  const page = await console.get('/events', { accept: 'text/html' })
  for (const says of ['there is no such hook', 'HTTP 415', '401', 'the delivery is not authenticated'])
    expect(page.text).toContain(says)
  expect(page.text).not.toContain(secret)
  const wrong = await opsbook(['events', '--refused', '--started', '--data-dir', 'data'], { folder })
  expect(wrong.code).toBe(2)
})
