/**
 * Takes the pictures of README.md: a run and a loop in the console, light and dark, of a real run against the sandbox.
 * Needs a build and a browser, and writes `images/`.
 *
 *     npm run pictures
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { openBrowser } from '../test/browser/open-browser.ts'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const images = process.argv[2] ?? fileURLToPath(new URL('../images/', import.meta.url))
const width = 1120
const themes = ['light', 'dark'] as const

/** Most are healthy, some are offline, and the agents of some refuse every tool. */
const hosts = Array.from({ length: 600 }, (_, place) =>
  place % 23 === 6 ? 'down-01' : place % 61 === 40 ? 'denied-01' : `node-${place + 1}`,
)

const folder = await mkdtemp(join(tmpdir(), 'opsbook-pictures-'))
await cp(fileURLToPath(new URL('pictures/fleet.yaml', import.meta.url)), join(folder, 'fleet.yaml'))
await writeFile(join(folder, 'opsbook.yaml'), 'console: { listen: "127.0.0.1:0" }\n')
await writeFile(join(folder, 'inputs.json'), JSON.stringify({ hosts }))

const opsbook = async (...words: readonly string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [program, ...words, '--data-dir', 'data'], { cwd: folder }))
    .stdout

const serving = spawn(
  process.execPath,
  [program, 'serve', '--sandbox', '--data-dir', 'data', '--listen', '127.0.0.1:0'],
  { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] },
)
const browser = await openBrowser()
try {
  await new Promise<void>((ready) => {
    serving.stdout.on('data', (text) => {
      if (String(text).includes('serve ready')) ready()
    })
  })
  const runId = (await opsbook('start', 'fleet.yaml', '--inputs-file', 'inputs.json')).trim()
  const { login, url } = JSON.parse(await opsbook('console', '--output', 'json'))
  const page = await browser.newPage({ viewport: { width, height: 620 } })
  await page.goto(login)
  await page.click('button')
  await page.goto(`${url}/runs/${runId}`)
  await page.waitForSelector('text=hosts?')
  await opsbook('approve', runId, 'go')
  while ((await itemsDone(page)) < 150) await sleep(250)
  await mkdir(images, { recursive: true })
  await take(page, 'console-run')
  await page.goto(`${url}/runs/${runId}?tab=items&step=checks&item=6`)
  await page.waitForSelector('.detail .step-name')
  await page.setViewportSize({ width, height: 880 })
  // The page has scrolled to the item.
  await page.evaluate('scrollTo(0, 0)')
  await take(page, 'console-loop')
} finally {
  await browser.close()
  serving.kill('SIGTERM')
  await once(serving, 'close')
  await rm(folder, { recursive: true, force: true })
}

/** How many items of the loop have ended, as the page says it. */
async function itemsDone(page: Page): Promise<number> {
  const [text = ''] = await page.locator('.loop-line a').allInnerTexts()
  return Number(text.replace(/ of .*/, '').replaceAll(/\D/g, ''))
}

async function take(page: Page, name: string): Promise<void> {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    // The field of cells is drawn again.
    await sleep(500)
    const path = join(images, `${name}-${colorScheme}.png`)
    await page.screenshot({ path })
    console.log(`${path}: ${Math.round((await stat(path)).size / 1000)} kB`)
  }
}
