import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import type { Stage } from './stage.ts'

/** What a page costs the browser that shows it. */
export interface TabCosts {
  /** From the request of the page until it can be used. */
  readonly interactiveMs: number
  /** The longest task of its main thread; those under 50 ms are not told. */
  readonly longestTaskMs: number
  /** Private memory of its process at its highest, seen twice a second. */
  readonly megabytes: number
  readonly elements: number
}

/** Before the scripts of the page: when it is ready, and which tasks were long. */
const watch = `
  globalThis.tasks = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration)
  }).observe({ type: 'longtask', buffered: true })
  new MutationObserver(() => {
    if (document.documentElement?.dataset.ready) globalThis.readyAt ??= performance.now()
  }).observe(document, { attributes: true, subtree: true })
`

/** Looks at a page for some seconds while its run continues, and does to it what a person would. */
export async function watchTab(
  browser: Browser,
  stage: Stage,
  path: string,
  seconds: number,
): Promise<TabCosts> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const [name = '', value = ''] = stage.cookie.split('=')
  await context.addCookies([{ name, value, url: stage.url }])
  const page = await context.newPage()
  await page.addInitScript(watch)
  await page.goto(stage.url + path)
  await page.waitForSelector('html[data-ready]', { state: 'attached' })
  const pid = await rendererOf(browser)
  let megabytes = 0
  const endMs = Date.now() + seconds * 1000
  for (let round = 0; Date.now() < endMs; round++) {
    megabytes = Math.max(megabytes, privateMegabytes(pid))
    await page.mouse.wheel(0, round % 2 === 0 ? 900 : -300)
    const item = page.locator('.item-table button').nth(round)
    if (round % 10 === 5 && (await item.count()) > 0) await item.click()
    await sleep(500)
  }
  const { interactiveMs, longestTaskMs, elements } = await page.evaluate<Omit<TabCosts, 'megabytes'>>(
    `({ interactiveMs: readyAt, longestTaskMs: Math.max(0, ...tasks), elements: document.querySelectorAll('*').length })`,
  )
  await context.close()
  return { interactiveMs, longestTaskMs, megabytes, elements }
}

/** The process that shows the only page: the newest one. */
async function rendererOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const [found] = processInfo
    .filter(({ type }) => type === 'renderer')
    .sort((one, other) => other.id - one.id)
  if (found === undefined) throw new Error('the browser has no process for the page')
  return found.id
}

function privateMegabytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kilobytes = [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+)/gm)].map(([, size]) => Number(size))
  return kilobytes.reduce((sum, size) => sum + size, 0) / 1024
}
