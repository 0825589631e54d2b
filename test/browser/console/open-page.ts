import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** A page of the console, and what went wrong in it. */
export interface Opened {
  readonly page: Page
  /** Errors of scripts and reports of the policy, as they came. */
  readonly problems: readonly string[]
}

/** Opens an address, and gathers errors and violations of the policy. */
export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  await page.goto(address)
  if (options.javaScriptEnabled !== false)
    await page.waitForSelector('html[data-ready]', { state: 'attached' })
  return { page, problems }
}

/** What axe finds: the rules that are broken, and where. The context of the page must bypass its policy. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ path: axe })
  return page.evaluate(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary)))`)
}
