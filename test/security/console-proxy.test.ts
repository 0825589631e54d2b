/** Nobody but the proxy names people to a console, and a page of another site cannot use that the proxy knows them. */
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createProxyWay } from '../../src/console/server/auth/proxy.ts'
import { type ProxyAuth, rolesOf } from '../../src/console/server/index.ts'
import { newFolder } from '../cli/support/opsbook.ts'
import { addressesOf, openConsole } from '../console/support/open-console.ts'
import { sendRaw } from './support/send-raw.ts'

const secret = 'sesame-secret-of-the-proxy-0123456789'
const auth: ProxyAuth = {
  type: 'proxy',
  secret,
  headers: { user: 'X-User', groups: 'X-Groups', secret: 'X-Secret', address: 'X-Forwarded-For' },
  login: (name, groups) => ({
    by: { name, source: 'console', verified: true },
    roles: rolesOf(groups, { viewer: ['*'], admin: ['ops'], operator: ['sre', 'ops'] }),
    groups,
  }),
}

const stage = async (folder?: string) =>
  openConsole(folder ?? (await newFolder()), { roles: ['admin'], auth })

/** The headers of a request as the proxy sends it on. */
const proxied = (user = 'ada', groups = 'ops') => ({ 'x-user': user, 'x-groups': groups, 'x-secret': secret })

describe('headers that name a person', () => {
  it.each([
    { about: 'without the secret', headers: { 'x-user': 'ada', 'x-groups': 'ops' } },
    {
      about: 'with a guessed secret',
      headers: { ...proxied(), 'x-secret': 'sesame-secret-of-the-proxy-012345678' },
    },
    { about: 'with an empty secret', headers: { ...proxied(), 'x-secret': '' } },
    { about: 'with the groups alone', headers: { 'x-groups': 'ops' } },
    { about: 'in other letters', headers: { 'X-USER': 'ada' } },
  ])('$about open nothing, and the session of a browser does not stand in', async ({ headers }) => {
    const console = await stage()
    for (const { method, path } of addressesOf(console))
      for (const cookie of ['', console.cookie]) {
        const own = { ...headers, cookie, 'content-type': 'application/json', 'opsbook-console': '1' }
        const sent = { method, body: method === 'GET' ? '' : '{}' }
        const { status, text } = await sendRaw(console.url + path, own as Record<string, string>, sent)
        expect([path, status, JSON.parse(text).code]).toEqual([path, 401, 'ProxyRefused'])
      }
  })

  it('need the secret also of a proxy that could use a socket instead: no other machine is that socket', async () => {
    const { secret: _, ...without } = auth
    const { url } = await openConsole(await newFolder(), { roles: ['admin'], auth: without })
    const headers = { 'x-user': 'ada', 'x-groups': 'ops' }
    expect((await sendRaw(`${url}/api/v1/runs`, headers)).status).toBe(401)
    expect((await sendRaw(`${url}/api/v1/runs`, { ...headers, 'x-secret': '' })).status).toBe(401)
  })

  it('are refused where a client has added its own to those of the proxy', async () => {
    const { url } = await stage()
    for (const [name, value] of [
      ['x-user', ['ada', 'root']],
      ['x-secret', ['guess', secret]],
      ['x-secret', [secret, 'guess']],
    ] as const) {
      const headers = { ...proxied(), [name]: value } as unknown as Record<string, string>
      expect((await sendRaw(`${url}/api/v1/runs`, headers)).status).toBe(401)
    }
  })

  it.each([
    ['nicolà', 'nicolà'],
    ['ПЕТР', 'ПЕТР'],
    [' ada\u00a0', 'ada'],
    ['\u2003ada\u3000', 'ada'],
  ])('hold the bytes of a name: %j', (sent, name) => {
    const bytes = (text: string): string => Buffer.from(text).toString('latin1')
    const headersDistinct = {
      'x-user': [bytes(sent)],
      'x-groups': [bytes(`${sent},ops`)],
      'x-secret': [secret],
    }
    const session = createProxyWay(auth)({ headersDistinct, socket: {} } as unknown as IncomingMessage)
    expect(session).toMatchObject({ by: { name }, groups: [name, 'ops'] })
  })

  it('count with the secret: each person has the roles of the groups', async () => {
    const { url } = await stage()
    const audit = (headers: Record<string, string>) => sendRaw(`${url}/api/v1/audit`, headers)
    expect((await audit(proxied())).status).toBe(200)
    expect((await audit(proxied('eve', 'guests, sre'))).status).toBe(403)
    expect((await sendRaw(`${url}/api/v1/runs`, proxied('eve', ''))).status).toBe(200)
    // The proxy has logged nobody in.
    expect((await sendRaw(`${url}/api/v1/runs`, { 'x-secret': secret })).status).toBe(401)
    expect((await sendRaw(`${url}/api/v1/runs`, { 'x-secret': secret, 'x-user': ' ' })).status).toBe(401)
  })

  it('are asked for where they lack: the page leads to the address of the proxy', async () => {
    const publicUrl = new URL('https://ops.example.com')
    const { url } = await openConsole(await newFolder(), { roles: ['admin'], auth, publicUrl })
    const page = { host: 'ops.example.com', accept: 'text/html' }
    for (const path of ['/runs', '/login']) {
      const { text } = await sendRaw(url + path, page)
      expect(text).toContain('<a href="https://ops.example.com/">')
      expect(text).not.toContain('opsbook console</')
    }
    const forged = await sendRaw(`${url}/runs`, { ...page, 'x-user': 'ada' })
    expect([forged.status, forged.text]).toEqual([
      401,
      expect.stringContaining('do not prove that they are of the proxy'),
    ])
  })

  it('do not make a page of another site one of the console', async () => {
    const console = await stage()
    const acts = addressesOf(console).filter(({ method, access }) => method !== 'GET' && access !== 'anyone')
    const json = { ...proxied(), 'content-type': 'application/json' }
    const form = { ...proxied(), 'content-type': 'application/x-www-form-urlencoded' }
    for (const { method, path } of acts)
      for (const [headers, body] of [
        [json, '{}'],
        [{ ...json, 'opsbook-console': '1', origin: 'http://evil.example' }, '{}'],
        [{ ...json, 'opsbook-console': '1', 'sec-fetch-site': 'cross-site' }, '{}'],
        [{ ...form, origin: console.url }, 'csrf=guessed'],
        [{ ...form, origin: console.url }, ''],
      ] as const)
        expect((await sendRaw(console.url + path, headers, { method, body })).status).toBe(403)
  })

  it('let a person act with the field of the page, which is not that of another person', async () => {
    const folder = await newFolder()
    const { url, json } = await stage(folder)
    const csrfOf = async (user: string, of = url) =>
      /"csrf":"([^"]+)"/.exec((await sendRaw(`${of}/runs`, proxied(user))).text)?.[1] ?? ''
    const logOut = (csrf: string) =>
      sendRaw(
        `${url}/logout`,
        {
          ...proxied(),
          'x-forwarded-for': '10.9.9.9, 192.0.2.7',
          'content-type': 'application/x-www-form-urlencoded',
          origin: url,
        },
        { method: 'POST', body: new URLSearchParams({ csrf }).toString() },
      )
    expect((await logOut(await csrfOf('eve'))).status).toBe(403)
    expect((await logOut(await csrfOf('ada'))).status).toBe(303)
    const { audit } = await json('/api/v1/audit?who=ada&limit=2')
    // What a client has put before the address that the proxy saw is not believed.
    expect(audit).toMatchObject([
      { act: 'logout', outcome: 'done', address: '192.0.2.7' },
      { act: 'logout', outcome: 'refused', code: 'ForeignPage', address: '192.0.2.7' },
    ])
    // The form of a page that was open before a restart counts.
    expect(await csrfOf('ada', (await stage(folder)).url)).toBe(await csrfOf('ada'))
    expect(await csrfOf('ada', (await stage()).url)).not.toBe(await csrfOf('ada'))
  })
})
