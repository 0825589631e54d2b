import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findBarriers, openPage } from './open-page.ts'
import { addresses, openStage, type Stage } from './stage.ts'

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

const variants = [
  ['light', { colorScheme: 'light' }, { width: 1280, height: 800 }],
  ['dark', { colorScheme: 'dark' }, { width: 1280, height: 800 }],
  ['at 200 % zoom', { colorScheme: 'light' }, { width: 640, height: 400 }],
  ['on a phone', { colorScheme: 'dark' }, { width: 390, height: 844 }],
] as const

/** By how many pixels the page is wider than its window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth')
}

it.each(addresses)(
  'the page %s bars nobody, in light and dark, at 200 % zoom, and on a phone',
  async (address) => {
    const { page } = await openPage(stage.browser, `${stage.server.address}${address}`, { bypassCSP: true })
    for (const [variant, media, size] of variants) {
      await page.emulateMedia(media)
      await page.setViewportSize(size)

      expect([variant, await findBarriers(page)]).toEqual([variant, []])
      expect([variant, await overflow(page)]).toEqual([variant, 0])
    }
    await page.context().close()
  },
)
