/** Nobody uses the console without a session, and no page of another host or origin uses the session of a person. */
import { describe, expect, it } from 'vitest'
import { createMemorySessions, type SessionRecord } from '../../src/console/store/index.ts'
import { newFolder } from '../cli/support/opsbook.ts'
import { addressesOf, logIn, openConsole } from '../console/support/open-console.ts'
import { sendRaw } from './support/send-raw.ts'

/** What anyone may have: the way in, and what the package itself ships. */
const open = ['GET /login', 'POST /login', 'GET /assets/x']

describe('without a session', () => {
  it('every address but the way in is refused', async () => {
    const console = await openConsole(await newFolder(), { roles: ['admin'] })
    for (const { method, path, access } of addressesOf(console)) {
      const own = { 'content-type': 'application/json', 'opsbook-console': '1', origin: console.url }
      const sent = { method, body: method === 'GET' ? '' : '{}' }
      const name = `${method} ${path}`
      for (const cookie of ['', `opsbook-${new URL(console.url).port}=wrong`, 'opsbook-=x'])
        if (!open.includes(name)) {
          const answer = await sendRaw(console.url + path, { ...own, cookie }, sent)
          expect([name, answer.status]).toEqual([name, 401])
        }
      expect([name, access === 'anyone']).toEqual([name, open.includes(name)])
    }
    for (const path of ['/elsewhere', '/api/v1/elsewhere', '/..%2f..%2fetc/passwd', '/runs/'])
      expect([path, (await sendRaw(console.url + path, {})).status]).toEqual([path, 401])
  })

  it('a browser is shown how to log in', async () => {
    const { url } = await openConsole(await newFolder())
    const { status, text } = await sendRaw(`${url}/runs`, { accept: 'text/html' })
    expect([status, text]).toEqual([401, expect.stringContaining('<html')])
  })

  it('a method that a route does not have is no way in', async () => {
    const { url } = await openConsole(await newFolder())
    for (const method of ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'])
      expect([method, (await sendRaw(`${url}/api/v1/runs`, {}, { method })).status]).toEqual([method, 401])
  })
})

describe('a code', () => {
  it('opens one session', async () => {
    const { url, issueCode } = await openConsole(await newFolder())
    const code = issueCode({ by: { name: 'ada', source: 'console' }, roles: ['viewer'] })
    expect(await logIn(url, code)).toMatch(/^opsbook-\d+=.{43}$/)
    expect(await logIn(url, code)).toBe('')
    expect(await logIn(url, 'guessed')).toBe('')
  })

  it('that is over is answered with a page that says where to get another', async () => {
    const { url } = await openConsole(await newFolder())
    const form = { origin: url, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
    const { status, text } = await sendRaw(`${url}/login`, form, { method: 'POST', body: 'code=used' })
    expect([status, text]).toEqual([
      401,
      expect.stringMatching(/<html[\s\S]*prints an address that opens one/),
    ])
  })

  it('is not used up by opening its address, as a prefetch does', async () => {
    const { url, issueCode } = await openConsole(await newFolder())
    const code = issueCode({ by: { name: 'ada', source: 'console' }, roles: ['viewer'] })
    for (let times = 0; times < 3; times++)
      expect((await sendRaw(`${url}/login?code=${code}`, {})).headers['set-cookie']).toBeUndefined()
    expect(await logIn(url, code)).not.toBe('')
  })
})

describe('with the session of a person', () => {
  it.each([
    { about: 'a name that resolves to this machine', headers: { host: 'evil.example' }, status: 421 },
    { about: 'the right name with another port', headers: { host: '127.0.0.1:1' }, status: 421 },
    { about: 'another address', headers: { host: '10.0.0.1' }, status: 421 },
    { about: 'a page of another origin', headers: { origin: 'http://evil.example' }, status: 403 },
    { about: 'a file or a sandboxed frame', headers: { origin: 'null' }, status: 403 },
    { about: 'a page of another port', headers: { origin: 'http://127.0.0.1:1' }, status: 403 },
  ])('$about reads nothing, and does nothing', async ({ headers, status }) => {
    const console = await openConsole(await newFolder(), { roles: ['admin'] })
    for (const { method, path } of addressesOf(console)) {
      const given = { cookie: console.cookie, 'content-type': 'application/json', ...headers }
      const sent = { method, body: method === 'GET' ? '' : '{}' }
      const answer = await sendRaw(console.url + path, given, sent)
      expect([method, path, answer.status]).toEqual([method, path, status])
    }
  })

  it.each([
    { about: 'JSON without the header of the console', headers: { 'content-type': 'application/json' } },
    {
      about: 'a form without the field of the session',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
    {
      about: 'JSON of another site',
      headers: { 'content-type': 'application/json', 'opsbook-console': '1', 'sec-fetch-site': 'cross-site' },
    },
    {
      about: 'JSON of a sibling',
      headers: { 'content-type': 'application/json', 'opsbook-console': '1', 'sec-fetch-site': 'same-site' },
    },
  ])('$about does nothing', async ({ headers }) => {
    const console = await openConsole(await newFolder(), { roles: ['admin'] })
    const acts = addressesOf(console).filter(({ method, access }) => method !== 'GET' && access !== 'anyone')
    expect(acts).not.toEqual([])
    for (const { method, path } of acts) {
      const given = { cookie: console.cookie, ...headers } as Record<string, string>
      const sent = { method, body: headers['content-type'].endsWith('json') ? '{}' : 'csrf=guessed' }
      const answer = await sendRaw(console.url + path, given, sent)
      expect([path, answer.status]).toEqual([path, 403])
    }
    expect((await console.get('/api/v1/runs')).status).toBe(200)
  })

  it('text is neither JSON nor a form', async () => {
    const console = await openConsole(await newFolder())
    const headers = { cookie: console.cookie, 'content-type': 'text/plain', 'opsbook-console': '1' }
    const { status } = await sendRaw(`${console.url}/logout`, headers, { method: 'POST', body: '{}' })
    expect(status).toBe(415)
  })
})

/** The acts of each role, as addresses without `/api/v1`. An admin may do all of them. */
const actsOf = {
  operator: [
    '/events/x/latest/send-again',
    '/runbooks/x/plan',
    '/runbooks/x/start',
    '/runs',
    '/runs/x/cancel',
    '/runs/x/comparison',
    '/runs/x/pause',
    '/runs/x/resume',
    '/runs/x/unpause',
  ],
  approver: ['/runs/x/answers', '/runs/x/decide/x', '/runs/x/decisions'],
  admin: [
    '/runs/x/cancel-now',
    '/schedules/x/pause',
    '/schedules/x/trigger',
    '/schedules/x/unpause',
    '/sessions/x',
    '/sessions/x/end',
    '/triggers/pause',
    '/triggers/unpause',
  ],
} as const

/** The addresses that change something, but for logging in and out. */
const actsIn = (console: Parameters<typeof addressesOf>[0]) =>
  addressesOf(console).filter(
    ({ method, path, access }) => method !== 'GET' && access !== 'anyone' && path !== '/logout',
  )

describe('a role', () => {
  it.each([
    { role: 'operator', may: actsOf.operator },
    { role: 'approver', may: actsOf.approver },
    { role: 'admin', may: Object.values(actsOf).flat() },
  ] as const)('$role may do what the role is for, and nothing else', async ({ role, may }) => {
    const console = await openConsole(await newFolder(), { roles: [role] })
    const own = { cookie: console.cookie, 'content-type': 'application/json', 'opsbook-console': '1' }
    const statuses = new Map<string, number[]>()
    for (const { method, path } of actsIn(console)) {
      const { status } = path.startsWith('/api')
        ? await sendRaw(console.url + path, own, { method, body: '{}' })
        : await console.send(path, {})
      const address = path.replace('/api/v1', '').replace('/latest', '/x')
      statuses.set(address, [...(statuses.get(address) ?? []), status])
    }
    const refused = [...statuses].filter(([, all]) => all.every((status) => status === 403))
    const allowed = [...statuses].filter(([, all]) => !all.includes(403))
    expect(allowed.map(([address]) => address).toSorted()).toEqual(may.toSorted())
    expect(refused.length + allowed.length).toBe(Object.values(actsOf).flat().length)
    for (const path of ['/api/v1/audit', '/api/v1/sessions'])
      expect([path, (await console.get(path)).status]).toEqual([path, role === 'admin' ? 200 : 403])
  })

  it('is needed for each act: a viewer has none, and a console to read has no addresses for them', async () => {
    const console = await openConsole(await newFolder(), { roles: ['approver', 'operator'] })
    const viewer = await logIn(
      console.url,
      console.issueCode({ by: { name: 'eve', source: 'console' }, roles: ['viewer'] }),
    )
    const own = { cookie: viewer, 'content-type': 'application/json', 'opsbook-console': '1' }
    const acts = actsIn(console)
    expect(acts.length).toBeGreaterThan(30)
    for (const { method, path } of acts) {
      const { status, text } = await sendRaw(console.url + path, own, { method, body: '{}' })
      expect([path, status, JSON.parse(text).code]).toEqual([path, 403, 'RoleMissing'])
    }
    const readOnly = await openConsole(await newFolder())
    const left = addressesOf(readOnly).filter(({ method }) => method !== 'GET')
    expect(left.map(({ path }) => path)).toEqual(['/login', '/logout'])
  })
})

describe('every answer', () => {
  it.each(['/%zz', '/runs/%ff', `/runs/${'x'.repeat(2000)}`])(
    'is a problem of the console, also at an address that cannot be read: %.10s',
    async (path) => {
      const { url } = await openConsole(await newFolder())
      const { headers, text } = await sendRaw(url + path, { host: 'evil.example' })
      expect(headers).toMatchObject({
        'content-type': expect.stringMatching(/^application\/problem\+json/),
        'content-security-policy': expect.stringMatching(/^default-src 'none'/),
      })
      expect(JSON.parse(text)).toMatchObject({ code: 'InvalidUsage' })
      expect(text).not.toContain(path)
    },
  )

  it('is a problem of the console, also where no page can be rendered', async () => {
    const sessions = createMemorySessions()
    const nobody = () => ({ by: undefined, roles: ['viewer'] }) as unknown as SessionRecord
    const console = await openConsole(await newFolder(), { sessions: { ...sessions, find: nobody } })
    const { status, headers, text } = await console.get('/runs', { accept: 'text/html' })
    expect([status, headers['content-type']]).toEqual([500, expect.stringMatching(/problem\+json/)])
    expect([JSON.parse(text).code, console.defects.length]).toEqual(['InternalDefect', 2])
  })

  it('allows only what the console ships, and is kept nowhere', async () => {
    const console = await openConsole(await newFolder())
    for (const path of ['/', '/login', '/api/v1/runs', '/elsewhere', '/api/v1/runs/none']) {
      const { headers } = await console.get(path)
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'; require-trusted-types-for 'script'/,
        ),
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      })
    }
  })
})
