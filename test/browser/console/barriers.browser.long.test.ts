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
  },
)

/** What can be used, in its order; of radio buttons with one name the first. */
const usable = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter(
  (one) => one.type !== 'hidden' && !one.disabled && one.checkVisibility() &&
    (one.type !== 'radio' || document.querySelector('input[name="' + one.name + '"]') === one))`

/** The element that has the focus, as its place among these. Undefined: none of them, or nobody would see it. */
const focused = `{
  const one = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  const box = one.getBoundingClientRect()
  const isSeen = box.width > 0 && box.height > 0 && outlineStyle !== 'none' && outlineWidth !== '0px'
  isSeen ? ${usable}.indexOf(one) : -1
}`

it.each(addresses)(
  'everything on the page %s can be reached by keys, and its focus is seen',
  async (address) => {
    const { page } = await openPage(stage.browser, `${stage.server.address}${address}`, { bypassCSP: true })
    const count = Number(await page.evaluate(`${usable}.length`))
    const reached = new Set<unknown>()
    for (let presses = 0; presses < Math.min(count, 60); presses++) {
      await page.keyboard.press('Tab')
      reached.add(await page.evaluate(focused))
    }
    expect([...reached]).toEqual(Array.from({ length: Math.min(count, 60) }, (_, place) => place))
  },
)

it('an item is opened and closed by keys, and the focus stays where it was', async () => {
  const { page } = await openPage(stage.browser, `${stage.server.address}/runs/x/items`)
  // Nobody presses a key sooner than this: in the very moment in which the item is there.
  await page.evaluate(`{
    globalThis.opened = []
    new MutationObserver((_, observer) => {
      const name = document.querySelector('.detail h3')?.textContent
      if (name === undefined) return
      observer.disconnect()
      opened.push(name)
      dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))
    }).observe(document.body, { subtree: true, childList: true })
  }`)
  await page.focus('.item-table tbody tr:nth-child(4) button')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate('opened')).toEqual(['host-3'])
  await expect.poll(() => page.locator('.detail').count()).toBe(0)
  expect(await page.evaluate('document.activeElement.textContent')).toBe('host-3')
})
