import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPages } from '../../../scripts/build-pages.mjs'
import { openBrowser } from '../open-browser.ts'
import { findBarriers, openPage } from './open-page.ts'
import { samples } from './sample-states.ts'
import { type StandIn, startStandIn } from './stand-in.ts'

const folder = mkdtempSync(join(tmpdir(), 'opsbook-pages-'))
let browser: Browser
let server: StandIn

beforeAll(async () => {
  await buildPages(folder)
  browser = await openBrowser()
  server = await startStandIn(folder)
  for (const [path, state] of Object.entries(samples)) server.pages.set(path, () => state)
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

const addresses = [
  ['/runs', 'rotate-token'],
  ['/', 'Failed in the last day'],
  ['/inbox', 'Publish the post-mortem'],
  ['/runbooks', 'cannot be loaded'],
  ['/runbooks/rotate-token', 'Europe/Berlin'],
  ['/runbooks/old-check', '16:19'],
  ['/events', 'where false'],
  ['/schedules', 'missed'],
  ['/system', 'Set the clock'],
  ['/login', 'Open the console'],
  ['/problem', 'RunNotFound'],
] as const

const variants = [
  ['light', { colorScheme: 'light' }, { width: 1280, height: 800 }],
  ['dark', { colorScheme: 'dark' }, { width: 1280, height: 800 }],
  ['at 200 % zoom', { colorScheme: 'light' }, { width: 640, height: 400 }],
  ['on a phone', { colorScheme: 'dark' }, { width: 390, height: 844 }],
] as const

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

  it('bars nobody: light, dark, at 200 % zoom and on a phone', async () => {
    const { page } = await openPage(browser, `${server.address}${address}`, { bypassCSP: true })
    for (const [variant, media, size] of variants) {
      await page.emulateMedia(media)
      await page.setViewportSize(size)
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')

      expect([variant, await findBarriers(page)]).toEqual([variant, []])
      expect([variant, wide]).toEqual([variant, expect.toSatisfy((over) => over <= 0)])
    }
    await page.context().close()
  })
})
