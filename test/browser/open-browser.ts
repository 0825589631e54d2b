import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from './find-browser.ts'

/**
 * Starts the browser. Throws where there is none: `npm test` looks for one first, and leaves its tests out. Its `close`
 * throws if a page has broken the policy that it came with, unless the test has read those reports. A start that fails is
 * tried once more: files start their browser in a hook, which vitest does not try again.
 */
export async function openBrowser(): Promise<Browser> {
  const found = await findBrowser()
  if ('obstacles' in found) throw new Error(found.obstacles.join('\n'))
  const env = { ...(process.env as Record<string, string>), ...found.env }
  // It shows pages of the tests alone, and a container allows no sandbox.
  const launch = () => chromium.launch({ executablePath: found.program, args: ['--no-sandbox'], env })
  return watchPolicy(await launch().catch(launch))
}

const reports = new WeakMap<Browser, string[]>()

/** What broke the policy of a page since the last call. */
export function takeReports(browser: Browser): readonly string[] {
  return reports.get(browser)?.splice(0) ?? []
}

/** Gathers the reports of all pages. */
function watchPolicy(browser: Browser): Browser {
  const found: string[] = []
  reports.set(browser, found)
  const { newContext, close } = browser
  browser.newContext = async (options) => {
    const context = await newContext.call(browser, options)
    context.on('console', (message) => {
      if (/Content Security Policy|Trusted(HTML|Script)/.test(message.text()))
        found.push(`${message.page()?.url() ?? ''} ${message.text()}`)
    })
    return context
  }
  browser.close = async (options) => {
    await close.call(browser, options)
    const left = takeReports(browser)
    if (left.length > 0) throw new Error(`pages have broken their policy:\n${left.join('\n')}`)
  }
  return browser
}

const mermaid = createRequire(import.meta.url).resolve('@mermaid-js/tiny/dist/mermaid.tiny.js')

/** What Mermaid makes of a text. */
export interface Rendered {
  readonly problem?: string
  /** The texts of nodes and of boxes with nodes inside. */
  readonly labels: readonly string[]
  /** Elements that a drawing has no use for, and addresses. */
  readonly foreign: readonly string[]
  /** A script of a label was executed. */
  readonly isPwned: boolean
}

/** Renders texts with the real Mermaid, in a page. */
export type Mermaid = (texts: readonly string[]) => Promise<readonly Rendered[]>

/** Opens a page with the real Mermaid. */
export async function openMermaid(browser: Browser): Promise<Mermaid> {
  const page = await browser.newPage()
  await page.setContent('<main></main>')
  await page.addScriptTag({ path: mermaid })
  await page.evaluate(`mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' })`)
  return (texts) => page.evaluate(`(${render})(${JSON.stringify(texts)})`)
}

/** In the page. */
const render = `async (texts) => {
  const main = document.querySelector('main')
  const rendered = []
  for (const text of texts) {
    try {
      const { svg } = await mermaid.render('drawn', text)
      main.innerHTML = svg
      const labels = [...main.querySelectorAll('.node, .cluster-label')].map((element) => {
        for (const line of element.querySelectorAll('br')) line.replaceWith('\\n')
        return element.textContent.trim()
      })
      const foreign = [...main.querySelectorAll('script, a, img, iframe, [href]:not([href^="#"]), [onerror], [onclick]')]
      rendered.push({ labels, foreign: foreign.map((one) => one.outerHTML.slice(0, 200)), isPwned: 'pwned' in globalThis })
    } catch (error) {
      rendered.push({ problem: String(error), labels: [], foreign: [], isPwned: 'pwned' in globalThis })
    }
  }
  return rendered
}`

/** The colors of a page, and the texts of an SVG that reach over the edges of their boxes. */
export async function showSvg(
  page: Page,
  svg: string,
): Promise<{ readonly fill: string; readonly over: readonly string[]; readonly isPwned: boolean }> {
  await page.setContent(svg)
  return page.evaluate(`(() => {
    const over = [...document.querySelectorAll('text')].filter((text) => {
      const inner = text.getBoundingClientRect()
      const boxes = [...text.parentNode.children].filter(({ tagName }) => tagName === 'rect')
      const widest = boxes.map((box) => box.getBoundingClientRect()).reduce((one, other) => one.width > other.width ? one : other)
      return inner.right > widest.right + 1 || inner.left < widest.left
    })
    const fill = getComputedStyle(document.querySelector('.page')).fill
    return { fill, over: over.map(({ textContent }) => textContent), isPwned: 'pwned' in globalThis }
  })()`)
}
