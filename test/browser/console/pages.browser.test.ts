import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPages } from '../../../scripts/build-pages.mjs'
import { openBrowser } from '../open-browser.ts'
import { findBarriers, openPage } from './open-page.ts'
import { runsState } from './sample-states.ts'
import { type StandIn, startStandIn } from './stand-in.ts'

const folder = mkdtempSync(join(tmpdir(), 'opsbook-pages-'))
let browser: Browser
let server: StandIn

beforeAll(async () => {
  await buildPages(folder)
  browser = await openBrowser()
  server = await startStandIn(folder)
  server.pages.set('/runs', () => runsState)
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

const addresses = [['/runs', 'rotate-token']] as const

describe.each(addresses)('the page %s', (address, text) => {
  it('can be read without scripts, and is the same once they have run', async () => {
    const still = await openPage(browser, `${server.address}${address}`, { javaScriptEnabled: false })
    const live = await openPage(browser, `${server.address}${address}`)

    const texts = [await still.page.innerText('main'), await live.page.innerText('main')]
    expect(texts[0]).toContain(text)
    expect(texts[1]).toBe(texts[0])
    expect(live.problems).toEqual([])
    await still.page.context().close()
    await live.page.context().close()
  })

  it.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['at 200 % zoom', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
    ['on a phone', { viewport: { width: 390, height: 844 } }],
  ] as const)('bars nobody: %s', async (_, options) => {
    const { page } = await openPage(browser, `${server.address}${address}`, { ...options, bypassCSP: true })

    expect(await findBarriers(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await page.context().close()
  })
})
