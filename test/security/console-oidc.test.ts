/** Only whom the provider names for this browser gets a session of the console, and nobody is led to another site. */
import { describe, expect, it } from 'vitest'
import type { OidcAuth } from '../../src/console/server/index.ts'
import { ownPath } from '../../src/console/server/oidc-routes.ts'
import { newFolder } from '../cli/support/opsbook.ts'
import {
  clientSecret,
  type OidcProvider,
  oidcAuth,
  openBrowser,
  publicUrl,
  startProvider,
} from '../console/support/oidc.ts'
import { addressesOf, openConsole } from '../console/support/open-console.ts'
import { sendRaw } from './support/send-raw.ts'

const pendingName = '__Host-opsbook-login'
const sessionName = '__Host-opsbook'

const stage = async (provider: Pick<OidcProvider, 'issuer'>, more: Partial<OidcAuth> = {}) => {
  const auth = oidcAuth(provider, { viewer: ['guests'], admin: ['ops'] }, more)
  const console = await openConsole(await newFolder(), { roles: ['admin'], auth, publicUrl })
  const rows = async () => (await console.json('/api/v1/audit')).audit
  return { console, browser: openBrowser(console.url), rows }
}

describe('a log-in by a provider', () => {
  it.each([
    { about: 'in the ID token', behaviour: {} },
    { about: 'for the access token alone', behaviour: { isByUserInfo: true } },
    { about: 'with the secret in the body', behaviour: { method: 'client_secret_post' } as const },
  ])('opens a session of the person, with the roles of their groups: $about', async ({ behaviour }) => {
    const { browser, rows } = await stage(await startProvider(behaviour))
    const end = await browser.goThrough('ada', '/runs?status=failed')
    expect([end.status, end.headers['refresh']]).toEqual([200, '0; url=/runs?status=failed'])
    const given = end.headers['set-cookie'] ?? []
    expect(given.find((line) => line.startsWith(`${sessionName}=`))).toMatch(
      /^__Host-opsbook=.{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
    expect(browser.cookies.has(pendingName)).toBe(false)
    expect(JSON.parse((await browser.open('/api/v1/sessions')).text).sessions[0]).toMatchObject({
      by: { name: 'ada', source: 'console', verified: true },
      roles: ['admin'],
      groups: ['ops'],
      is_own: true,
    })
    expect((await rows())[0]).toMatchObject({ act: 'login', by: { name: 'ada' }, outcome: 'done' })
  })

  it('asks for a code with PKCE, and keeps what belongs to it where no script sees it', async () => {
    const { browser, console } = await stage(await startProvider())
    const { status, headers } = await browser.open('/login/start')
    const asked = new URL(headers.location ?? '').searchParams
    expect([status, asked.get('response_type'), asked.get('code_challenge_method')]).toEqual([
      303,
      'code',
      'S256',
    ])
    expect(asked.get('scope')).toBe('openid profile groups')
    expect(headers['set-cookie']?.[0]).toMatch(
      /^__Host-opsbook-login=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
    )
    expect(headers.location).not.toContain(clientSecret)
    // From the address of this machine, it begins at the public one.
    const local = await console.get('/login/start?next=/runs')
    expect(local.headers.location).toBe('https://ops.example.com/login/start?next=%2Fruns')
  })

  it('ends when the ID token ends', async () => {
    const { browser } = await stage(await startProvider({ ttl: 600 }))
    await browser.goThrough('ada')
    const [{ since, until }] = JSON.parse((await browser.open('/api/v1/sessions')).text).sessions
    expect(Date.parse(until) - Date.parse(since)).toBeLessThanOrEqual(600_000)
    expect(Date.parse(until)).toBeGreaterThan(Date.parse(since))
  })

  it('gives another session, and ends the one before', async () => {
    const { browser } = await stage(await startProvider())
    await browser.goThrough('ada')
    const before = browser.cookies.get(sessionName)
    await browser.goThrough('ada')
    const now = browser.cookies.get(sessionName)
    expect(now).not.toBe(before)
    browser.cookies.set(sessionName, before ?? '')
    expect((await browser.open('/api/v1/runs')).status).toBe(401)
  })

  it('shows someone without a session where to log in, and then what they wanted', async () => {
    const { browser } = await stage(await startProvider())
    const { status, text } = await browser.open('/runs?status=failed')
    expect([status, text]).toEqual([
      401,
      expect.stringContaining('/login/start?next=%2Fruns%3Fstatus%3Dfailed'),
    ])
    expect((await browser.open('/login')).text).toContain('href="/login/start?')
  })

  it('leaves everything else closed', async () => {
    const { console } = await stage(await startProvider())
    const anyone = addressesOf(console).filter(({ access }) => access === 'anyone')
    expect(anyone.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'GET /assets/x',
      'GET /login',
      'GET /login/callback',
      'GET /login/ended',
      'GET /login/start',
      'POST /login',
    ])
  })
})

describe('a log-out', () => {
  it('leads to the provider, and asks nothing of one that is away', async () => {
    const provider = await startProvider()
    const { browser, console } = await stage(provider)
    const logOut = async () => {
      await browser.goThrough('ada')
      const [, csrf = ''] = /"csrf":"([^"]+)"/.exec((await browser.open('/runs')).text) ?? []
      const headers = {
        host: publicUrl.host,
        origin: publicUrl.origin,
        cookie: `${sessionName}=${browser.cookies.get(sessionName)}`,
        'content-type': 'application/x-www-form-urlencoded',
      }
      const body = new URLSearchParams({ csrf }).toString()
      return sendRaw(`${console.url}/logout`, headers, { method: 'POST', body })
    }
    const { location = '' } = (await logOut()).headers
    expect(location).toMatch(/^\/login\/ended\?of=[\w-]{43}$/)
    expect((await browser.open('/api/v1/runs')).status).toBe(401)
    // The provider learns whose session ends, and who opens the address again learns nothing.
    const once = await browser.open(location)
    expect(once.headers['refresh']).toMatch(/&id_token_hint=eyJ[\w.-]+&|&id_token_hint=eyJ[\w.-]+$/)
    const { headers, text } = await browser.open(location)
    const after = new URLSearchParams({
      post_logout_redirect_uri: 'https://ops.example.com/login',
      client_id: 'opsbook',
    })
    expect(headers['refresh']).toBe(`0; url=${provider.issuer.origin}/session/end?${after}`)
    expect(text).toContain('You have logged out')
    // Whom a code has let in, the provider does not know.
    expect((await console.send('/logout', {})).headers.location).toBe('/login')
    await provider.stop()
    const away = await stage(provider)
    const ended = await away.browser.open('/login/ended')
    expect([ended.status, ended.headers['refresh']]).toEqual([200, undefined])
  })
})

describe('an answer of the provider', () => {
  const wrong = 'w'.repeat(43)

  /** What is changed: the answer in the address, or what the browser keeps of the log-in. */
  interface Change {
    readonly answer?: Readonly<Record<string, string | undefined>>
    readonly more?: string
    readonly kept?: object | string
  }
  it.each<readonly [about: string, change: Change, asks: number]>([
    ['with another state', { answer: { state: wrong } }, 0],
    ['without a state', { answer: { state: undefined } }, 0],
    ['with two states', { more: `&state=${wrong}` }, 0],
    ['in a browser that began none', { kept: '' }, 0],
    ['where the browser keeps no PKCE verifier', { kept: { verifier: undefined } }, 0],
    ['where the browser keeps something else', { kept: 'x' }, 0],
    ['for another PKCE verifier', { kept: { verifier: wrong } }, 1],
    ['for another nonce', { kept: { nonce: wrong } }, 1],
    ['of another issuer', { answer: { iss: 'https://evil.example' } }, 0],
    ['with a guessed code', { answer: { code: wrong } }, 1],
  ])('%s opens nothing', async (_, { answer = {}, more = '', kept = {} }, asks) => {
    const provider = await startProvider()
    const { browser, rows } = await stage(provider)
    const start = await browser.open('/login/start')
    const back = new URL(await browser.logIn(start.headers.location, 'ada'), publicUrl)
    for (const [name, value] of Object.entries(answer))
      if (value === undefined) back.searchParams.delete(name)
      else back.searchParams.set(name, value)
    const own = browser.cookies.get(pendingName)
    if (kept === '') browser.cookies.delete(pendingName)
    else browser.cookies.set(pendingName, typeof kept === 'string' ? kept : change(own, kept))
    const { status, text, headers } = await browser.open(back.pathname + back.search + more)
    expect([status, provider.asked()]).toEqual([403, asks])
    expect(text).toMatch(/LoginRefused[\s\S]*log in again[\s\S]*href="\/login\/start/)
    expect(headers['set-cookie']).toEqual([expect.stringMatching(/^__Host-opsbook-login=; .*Max-Age=0$/)])
    expect((await rows())[0]).toMatchObject({ act: 'login', outcome: 'refused', code: 'LoginRefused' })
    expect((await rows())[0]).not.toHaveProperty('by')
  })

  it('that the key of the provider has not signed opens nothing', async () => {
    const { browser, console } = await stage(await startProvider({ isForged: true }))
    const { status, text } = await browser.goThrough('ada')
    expect([status, text]).toEqual([403, expect.stringContaining('does not belong to this log-in')])
    expect(console.defects.map(String)).toEqual([expect.stringContaining('signature verification failed')])
  })

  it('counts once, also for who has copied the cookie', async () => {
    const { browser } = await stage(await startProvider())
    const start = await browser.open('/login/start')
    const back = await browser.logIn(start.headers.location, 'ada')
    const kept = browser.cookies.get(pendingName) ?? ''
    expect((await browser.open(back)).status).toBe(200)
    expect((await browser.open(back)).status).toBe(403)
    browser.cookies.set(pendingName, kept)
    const { status, text } = await browser.open(back)
    expect([status, text]).toEqual([403, expect.stringContaining('used before, or took too long')])
  })

  it('that refuses the person is shown with what to do next', async () => {
    const { browser, rows } = await stage(await startProvider())
    const { status, text } = await browser.goThrough(undefined, '/inbox')
    expect([status, text]).toEqual([
      403,
      expect.stringMatching(/the provider has refused: access_denied no such person[\s\S]*next=%2Finbox/),
    ])
    expect((await rows())[0]).toMatchObject({ act: 'login', outcome: 'refused', code: 'LoginRefused' })
  })

  it('about someone without a group with a role opens nothing, and the audit names them', async () => {
    const people = { eve: { preferred_username: 'eve', groups: ['others'] } }
    const { browser, rows } = await stage(await startProvider({ people }))
    const { status, text } = await browser.goThrough('eve')
    expect([status, text]).toEqual([403, expect.stringContaining('none of your groups has a role here')])
    expect(browser.cookies.has(sessionName)).toBe(false)
    expect((await rows())[0]).toMatchObject({ by: { name: 'eve' }, outcome: 'refused', code: 'RoleMissing' })
  })

  it.each([
    { claims: { groups: ['ops'] }, more: {}, said: 'the claim preferred_username is missing' },
    {
      claims: { preferred_username: 7, groups: ['ops'] },
      more: {},
      said: 'the claim preferred_username is missing',
    },
    ...[false, 'false', 0, null, undefined].map((verified) => ({
      claims: { email: 'ada@example.com', email_verified: verified, groups: ['ops'] },
      more: { nameClaim: 'email' },
      said: 'does not say that your e-mail address is verified',
    })),
    {
      claims: { preferred_username: 'ad\u200ba', groups: ['ops'] },
      more: {},
      said: 'the name holds the invisible character U+200B',
    },
  ])('that does not name the person is refused: $said', async ({ claims, more, said }) => {
    const { browser } = await stage(await startProvider({ people: { ada: claims } }), more)
    const { status, text } = await browser.goThrough('ada')
    expect([status, text]).toEqual([403, expect.stringContaining(said)])
  })
})

describe('a provider', () => {
  it('that is away says so, at the start and later, and is asked again', async () => {
    const provider = await startProvider()
    await provider.stop()
    const { browser, console, rows } = await stage(provider)
    const early = await browser.goThrough('ada')
    expect([early.status, early.text]).toEqual([502, expect.stringContaining('does not answer as it should')])
    await provider.start()
    const start = await browser.open('/login/start')
    const back = await browser.logIn(start.headers.location, 'ada')
    await provider.stop()
    const late = await browser.open(back)
    expect([late.status, late.text]).toEqual([502, expect.stringContaining('LoginUnavailable')])
    expect((await rows())[0]).toMatchObject({ act: 'login', outcome: 'failed', code: 'LoginUnavailable' })
    expect(console.defects.map(String)).toEqual(Array(2).fill(expect.stringContaining('(ECONNREFUSED)')))
    // Who has a code needs no provider.
    expect((await console.get('/api/v1/runs')).status).toBe(200)
    await provider.start()
    expect((await browser.goThrough('ada')).status).toBe(200)
  })

  it('that knows another secret is told to the operator, without the secret', async () => {
    const { browser, console } = await stage(await startProvider({ secret: 'another-secret-of-the-client' }))
    const { status, text } = await browser.goThrough('ada')
    expect([status, text]).toEqual([502, expect.stringContaining('refuses this console')])
    const told = console.defects.map((error) => (error as Error).stack).join()
    expect(told).toContain('refuses this console')
    for (const shown of [told, text]) expect(shown).not.toContain('secret-of-the-client')
  })

  it('that calls itself something else is none', async () => {
    const { issuer } = await startProvider()
    const { browser } = await stage({ issuer: new URL(issuer.href.replace('127.0.0.1', 'localhost')) })
    expect((await browser.open('/login/start')).status).toBe(502)
  })
})

describe('where to go after the log-in', () => {
  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/..//evil.example',
    'javascript:alert(1)',
    '@evil.example',
    '/api/v1/runs',
    '/login/start',
    '/x/../logout',
    ['/runs', '/inbox'],
    undefined,
  ])('is a page of this console, and not %j', (next) => expect(ownPath(next)).toBe('/'))

  it.each([
    { next: '/runs?status=failed', is: '/runs?status=failed' },
    { next: '/runs/a%2Fb', is: '/runs/a%2Fb' },
    { next: '/runs/a\r\nset-cookie: x', is: '/runs/aset-cookie:%20x' },
    { next: '/runs#x', is: '/runs' },
  ])('is $next', ({ next, is }) => expect(ownPath(next)).toBe(is))

  it('fits into a cookie', () => expect(ownPath(`/${'x'.repeat(5000)}`)).toBe('/'))

  it('leads to no other site, whatever the address or the browser says', async () => {
    const { browser } = await stage(await startProvider())
    const { status, headers, text } = await browser.goThrough('ada', '//evil.example')
    expect([status, headers['refresh'], headers.location]).toEqual([200, '0; url=/', undefined])
    expect(text).not.toContain('evil')
    const start = await browser.open('/login/start')
    const back = await browser.logIn(start.headers.location, 'ada')
    browser.cookies.set(pendingName, change(browser.cookies.get(pendingName), { next: '//evil.example' }))
    expect((await browser.open(back)).headers['refresh']).toBe('0; url=/')
  })
})

/** Changes what the browser keeps of the log-in. */
function change(kept: string | undefined, fields: object): string {
  const begun = JSON.parse(Buffer.from(kept ?? '', 'base64url').toString())
  return Buffer.from(JSON.stringify({ ...begun, ...fields })).toString('base64url')
}
