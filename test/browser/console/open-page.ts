import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** A page of the console until the test ends, and what went wrong in it. */
export interface Opened {
  readonly page: Page
  /** Errors of scripts and reports of the policy, as they came. A form that was refused is none of them. */
  readonly problems: readonly string[]
  /** Clicks what leads to another page, and waits until that takes keys and clicks. */
  go(selector: string): Promise<void>
}

/** Opens an address, and waits until its page takes keys and clicks. */
export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    const isRefusal = message.text().includes('status of 4')
    if (['error', 'warning'].includes(message.type()) && !isRefusal)
      problems.push(`${page.url()} ${message.text()}`)
  })
  const ready = async (): Promise<void> => {
    if (options.javaScriptEnabled !== false)
      await page.waitForSelector('html[data-ready]', { state: 'attached' })
  }
  await page.goto(address)
  await ready()
  return {
    page,
    problems,
    async go(selector) {
      await Promise.all([page.waitForEvent('domcontentloaded'), page.click(selector)])
      await ready()
    },
  }
}

/** A page whose person has logged in by a one-time address. */
export async function logIn(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const opened = await openPage(browser, address, options)
  await opened.go('main button')
  return opened
}

/** What axe finds: the rules that are broken, and where. The context of the page must bypass its policy. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ path: axe })
  return page.evaluate(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary)))`)
}
