/** People log in by a real provider of OpenID Connect, in a browser, behind TLS. */
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { selfSigned } from '../../api/self-signed.ts'
import { oidcAuth, startProvider } from '../../console/support/oidc.ts'
import { openConsole } from '../../console/support/open-console.ts'
import { record } from '../../console/support/recorded.ts'
import { listen } from '../../support/listen.ts'
import { openBrowser } from '../open-browser.ts'
import { openPage } from './open-page.ts'

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

/** A proxy with TLS, as in front of a console. `to`: where that listens, once it does. */
async function openTlsProxy(to: () => string): Promise<URL> {
  const proxy = createServer(selfSigned, (incoming, outgoing) => {
    const { method, headers } = incoming
    const onward = request(to() + incoming.url, { method, headers } as object, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  return new URL((await listen(proxy, 'https')).replace('127.0.0.1', 'localhost'))
}

it('a person logs in at the provider, acts, and logs out there too', { timeout: 120_000 }, async () => {
  const recorded = await record()
  const { ended } = await recorded.asking()
  let listening = ''
  const consoleUrl = await openTlsProxy(() => listening)
  const { issuer } = await startProvider({ consoleUrl, isByForm: true })
  const console = await openConsole(recorded.dataDir, {
    folder: recorded.folder,
    roles: ['admin'],
    publicUrl: consoleUrl,
    auth: oidcAuth({ issuer }, { operator: ['ops'], approver: ['ops'] }),
  })
  listening = console.url
  const { page, problems } = await openPage(browser, new URL('/inbox', consoleUrl).href, {
    ignoreHTTPSErrors: true,
  })
  await page.click(`text=Log in at ${issuer.host}`)
  await page.fill('input[name=login]', 'ada')
  await page.fill('input[name=password]', 'any')
  await page.click('button[type=submit]')
  // Back where the person wanted to go, with the session of the console, and its stream.
  await page.waitForURL(new URL('/inbox', consoleUrl).href)
  await expect.poll(() => page.innerText('.who')).toContain('ada')
  await expect.poll(() => page.innerText('.connection')).toBe('live')
  await page.click('button:has-text("Approve all")')
  // The other question is left.
  await expect.poll(() => page.innerText('main')).not.toContain('Approve all')
  const { audit } = await console.json('/api/v1/audit?who=ada&limit=3')
  expect(audit).toContainEqual(
    expect.objectContaining({
      act: 'answers',
      outcome: 'done',
      by: expect.objectContaining({ name: 'ada' }),
    }),
  )

  await recorded.command('cancel', 'latest')
  await ended

  await page.click('text=Log out')
  await page.waitForURL(`${issuer.origin}/**`)
  await page.click('button[name=logout]')
  await page.waitForURL((url) => url.origin === consoleUrl.origin && url.pathname === '/login')
  expect((await page.request.get(new URL('/api/v1/runs', consoleUrl).href)).status()).toBe(401)
  // The provider knows the browser no more: it asks who it is.
  await page.click(`text=Log in at ${issuer.host}`)
  await page.waitForSelector('input[name=login]')
  // The pages of the provider name fonts of another host.
  expect(problems.filter((problem) => !problem.startsWith(issuer.origin))).toEqual([])
})
