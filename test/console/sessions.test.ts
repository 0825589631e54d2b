import { expect, test } from 'vitest'
import { createSessions } from '../../src/console/server/sessions.ts'
import { openMemoryDatabase } from '../../src/console/store/database.ts'
import { createSessionStore } from '../../src/console/store/session-store.ts'
import { newFolder } from '../cli/support/opsbook.ts'
import { sendRaw } from '../security/support/send-raw.ts'
import { logIn, openConsole } from './support/open-console.ts'

const eve = { by: { name: 'eve', source: 'console', verified: true }, roles: ['viewer'] } as const

test('an admin sees who has a session, and ends one', async () => {
  const console = await openConsole(await newFolder(), { roles: ['admin'] })
  const cookie = await logIn(console.url, console.issueCode(eve))
  const list = async () => (await console.json('/api/v1/sessions')).sessions
  const [other, own] = await list()
  expect([other, own]).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      ...eve,
      since: expect.any(String),
      until: expect.any(String),
    },
    expect.objectContaining({ is_own: true, roles: ['admin'] }),
  ])
  const headers = { cookie: console.cookie, 'opsbook-console': '1' }
  const end = (id: string) => sendRaw(`${console.url}/api/v1/sessions/${id}`, headers, { method: 'DELETE' })
  expect((await end(other?.id ?? '')).status).toBe(200)
  expect((await sendRaw(`${console.url}/api/v1/runs`, { cookie })).status).toBe(401)
  expect((await end(other?.id ?? '')).status).toBe(404)
  // The same without scripts, also of the own one.
  const form = await console.send(`/sessions/${own?.id}/end`, {})
  expect([form.status, form.headers.location]).toEqual([303, '/system'])
  expect((await console.get('/api/v1/runs')).status).toBe(401)
})

test('the page of the system shows sessions and the audit to admins alone', async () => {
  const page = async (roles: readonly ('admin' | 'operator')[]) => {
    const console = await openConsole(await newFolder(), {
      roles,
      system: async () => ({ ok: true, version: '1', checks: [] }),
    })
    await console.post('/api/v1/runs/none/cancel', { shown: 0 })
    return (await console.get('/system', { accept: 'text/html' })).text
  }
  const shown = await page(['admin'])
  expect(shown).toContain('<h2>Sessions</h2>')
  expect(shown).toContain('<td class="strong">ada<span class="dim"> this one</span></td>')
  expect(shown).toContain('<h2>Audit</h2>')
  expect(shown).toContain('<span class="code">RunNotFound</span>')
  const other = await page(['operator'])
  expect(other).toContain('<h1>System</h1>')
  expect(other).not.toMatch(/Sessions|Audit|RunNotFound/)
})

test('a log-in gives a new session, and ends the one that the browser had', async () => {
  const console = await openConsole(await newFolder())
  const port = new URL(console.url).port
  const form = { origin: console.url, 'content-type': 'application/x-www-form-urlencoded' }
  const enter = (cookie: string) =>
    sendRaw(
      `${console.url}/login`,
      { ...form, cookie },
      { method: 'POST', body: `code=${console.issueCode(eve)}` },
    )
  // One that another person has planted in the browser becomes no session.
  const planted = `opsbook-${port}=${'A'.repeat(43)}`
  const { headers } = await enter(planted)
  expect(headers['set-cookie']?.[0]).not.toContain('A'.repeat(43))
  // No script and no other site has it.
  expect(headers['set-cookie']?.[0]).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/)
  expect((await sendRaw(`${console.url}/api/v1/runs`, { cookie: planted })).status).toBe(401)
  expect((await enter(console.cookie)).status).toBe(303)
  expect((await console.get('/api/v1/runs')).status).toBe(401)
})

test('a page of another site logs nobody in', async () => {
  const console = await openConsole(await newFolder())
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const headers of [
    { ...form, origin: 'http://evil.example' },
    { ...form, origin: 'null' },
    { ...form, origin: console.url, 'sec-fetch-site': 'cross-site' },
    { ...form, 'sec-fetch-site': 'same-site' },
    form,
  ]) {
    const code = console.issueCode(eve)
    const answer = await sendRaw(`${console.url}/login`, headers, { method: 'POST', body: `code=${code}` })
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
  }
})

test('log-out takes the cookie away', async () => {
  const console = await openConsole(await newFolder())
  const { status, headers } = await console.send('/logout', {})
  expect([status, headers['set-cookie']]).toEqual([
    303,
    [expect.stringMatching(/^opsbook-\d+=; Path=\/; HttpOnly; SameSite=Strict; Max-Age=0$/)],
  ])
  expect((await console.get('/runs')).status).toBe(401)
})

test('behind TLS the cookie is of this host alone, and its name and port may be left out', async () => {
  const publicUrl = new URL('https://ops.example.com')
  const console = await openConsole(await newFolder(), { publicUrl })
  const enter = (host: string, origin: string) =>
    sendRaw(
      `${console.url}/login`,
      { host, origin, 'content-type': 'application/x-www-form-urlencoded' },
      { method: 'POST', body: `code=${console.issueCode(eve)}` },
    )
  for (const host of ['ops.example.com', 'OPS.example.com', 'ops.example.com:443']) {
    const { status, headers } = await enter(host, 'https://ops.example.com')
    const [cookie = ''] = headers['set-cookie'] ?? []
    expect([host, status, cookie]).toEqual([
      host,
      303,
      expect.stringMatching(/^__Host-opsbook=.{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
    ])
    const own = { host, cookie: cookie.split(';')[0] ?? '' }
    expect((await sendRaw(`${console.url}/api/v1/runs`, own)).status).toBe(200)
    // The cookie of a machine without TLS is another one.
    const plain = { host, cookie: console.cookie }
    expect((await sendRaw(`${console.url}/api/v1/runs`, plain)).status).toBe(401)
  }
  expect((await enter('ops.example.com', 'http://ops.example.com')).status).toBe(403)
  expect((await enter('ops.example.com:8443', 'https://ops.example.com:8443')).status).toBe(421)
  expect((await enter('ops.example.com.evil.example', 'https://ops.example.com')).status).toBe(421)
})

test('a code ends after a minute, and a session after twelve hours, whoever uses it', () => {
  let now = 0
  const clock = () => now
  const sessions = createSessions(createSessionStore(openMemoryDatabase(), clock), undefined, clock)
  const late = sessions.issueCode(eve)
  now = 60_000
  expect(sessions.redeem(late)).toBeUndefined()
  const secret = sessions.redeem(sessions.issueCode(eve)) ?? ''
  const session = sessions.find(secret)
  now += 12 * 60 * 60_000 - 1
  expect([session?.isOpen(), sessions.find(secret)?.by, sessions.list().length]).toEqual([true, eve.by, 1])
  now += 1
  expect([session?.isOpen(), sessions.find(secret), sessions.list()]).toEqual([false, undefined, []])
  expect(sessions.endById(session?.id ?? '')).toBeUndefined()
})

test('the thousand newest sessions are kept', () => {
  const sessions = createSessions(createSessionStore(openMemoryDatabase()))
  const secrets = Array.from({ length: 1001 }, () => sessions.redeem(sessions.issueCode(eve)) ?? '')
  const found = secrets.map((secret) => sessions.find(secret) !== undefined)
  expect([found.slice(0, 3), sessions.list().length]).toEqual([[false, true, true], 1000])
})
