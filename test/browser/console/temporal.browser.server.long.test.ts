/** The console on the Temporal engine, in a browser: a worker executes what people start, answer, decide and resume. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest'
import { openTemporalLimits } from '../../../src/engine/temporal/index.ts'
import { consoleHere, serveConsole } from '../../console/support/serve-console.ts'
import { type Engines, openEngines } from '../../engine/temporal/commands/open-engines.ts'
import { serving } from '../../support/listen.ts'
import { openBrowser } from '../open-browser.ts'
import { logIn } from './open-page.ts'

const items = 300
const fleet = `apiVersion: opsbook/v1
name: fleet
title: Check the fleet
inputs: { type: object, required: [url], properties: { url: { type: string } } }
steps:
  - { id: ok, uses: core/approve, with: { message: "Check \${{ inputs.url }}?", timeout: 2h } }
  - id: checks
    for-each: { items: [${Array.from({ length: items }, (_, n) => `host-${n}`).join(', ')}], as: host, max-parallel: 10, tolerate: all }
    steps: [{ id: look, uses: core/http, with: { method: GET, url: "\${{ inputs.url }}/\${{ host }}" } }]
  - { id: thing, uses: core/http, with: { method: POST, safety: create, url: "\${{ inputs.url }}" } }
  - { id: tell, uses: core/log, with: { message: "made \${{ steps.thing.outputs.body.id }}" } }
`

/** Workers and pages of other tests are at work, too. */
const patience = { timeout: 40_000 }
vi.setConfig({ testTimeout: 240_000 })

let browser: Browser
let engines: Engines

beforeAll(async () => {
  browser = await openBrowser()
  engines = await openEngines({}, { more: consoleHere })
}, 120_000)
afterAll(async () => {
  await engines?.close()
  await browser?.close()
}, 60_000)

/** A console, and a page whose person has logged in. */
async function open(runbooks: Readonly<Record<string, string>>) {
  const env = { ...engines.env, OPSBOOK_ENGINE: 'temporal' }
  const served = await serveConsole(runbooks, { words: [], project: { folder: engines.folder, env } })
  const opened = await logIn(browser, await served.login())
  const { page, go } = opened
  return {
    ...opened,
    served,
    standsAs: (status: string) => expect.poll(() => page.innerText('.stand'), patience).toBe(status),
    /** Starts a run of the fleet from the list of runbooks, by the plan. Resolves with its id. */
    async start(url: string): Promise<string> {
      await go('nav >> text=Runbooks')
      await go('main >> text=fleet')
      await go('text=Start…')
      await page.fill('label:has-text("url") input', url)
      await go('text=Show the plan')
      await go('text=Start this plan')
      return new URL(page.url()).pathname.split('/').at(-1) ?? ''
    },
  }
}

it('a person starts, pauses, approves and watches a run, resolves its unknown outcome, and resumes it to its end', async () => {
  const held: (() => void)[] = []
  let isHeld = true
  const url = await serving(({ method, url: path = '' }, response) => {
    // The answer to the create is lost.
    if (method === 'POST') return void response.socket?.destroy()
    const answer = (): void => {
      response.writeHead(path.endsWith('0') ? 404 : 200, { 'content-type': 'application/json' }).end('{}')
    }
    if (isHeld && Number(path.replace(/\D/g, '')) >= items / 3) held.push(answer)
    else answer()
  })
  const { served, page, problems, go, standsAs, start } = await open({ fleet })
  const runId = await start(url)
  const address = page.url()
  await standsAs('waiting')
  const rowOf = async (list: string): Promise<string> => {
    await page.goto(served.url + list)
    return page.innerText(`tr:has(a[href="/runs/${runId}"])`)
  }
  for (const list of ['/', '/runs'])
    await expect.poll(() => rowOf(list), patience).toMatch(/waiting.*at ok: awaits approval, \d/s)
  await page.goto(address)
  await page.click('.controls >> text=Pause')
  await standsAs('paused')
  await page.click('.controls >> text=Continue')
  await standsAs('waiting')
  await page.click('button:text-is("Approve")')

  // The items of the loop while they run: counts move, failures group, an item opens.
  await expect.poll(() => page.locator('.tabs >> text=Items').count(), patience).toBe(1)
  await go('.tabs >> text=Items')
  const seen = () =>
    Promise.all(
      ['items', 'done', 'failed', 'in flight', 'left'].map(async (word) =>
        Number(await page.innerText(`.figures div:has(dt:text-is("${word}")) dd`, { timeout: 1000 })),
      ),
    ).catch(() => [])
  // A third has ended, and the next ten are on their way.
  await expect.poll(seen, patience).toEqual([items, 100, 10, 10, 190])
  await standsAs('running')
  expect(await page.innerText('.panels')).toMatch(/10\s+HttpRefused.*In flight, the longest first.*host-100/s)
  const opened = page.url()
  isHeld = false
  for (const answer of held) answer()
  await expect.poll(seen, patience).toEqual([items, 300, 30, 0, 0])
  await standsAs('unknown')
  expect(page.url()).toBe(opened)
  const groups = page.locator('.panels section:has(h3:text-is("Failures by what they say")) tbody tr')
  expect(await groups.allInnerTexts()).toEqual([expect.stringMatching(/^30\s/)])
  await page.click('.item-table button >> nth=3')
  await expect.poll(() => page.innerText('.detail'), patience).toMatch(/host-3.*look.*succeeded/s)

  await page.goto(address)
  await go('a:has-text("Resolve")')
  await page.check('input[name="do"][value="succeeded"]')
  await page.fill('[name="set:body"]', '{ id: x1 }')
  await page.click('button.main')
  await page.waitForURL(/\/resume$/)
  await page.click('main button.main')
  await page.waitForURL(/\/runs\/run_[^/]+$/)
  await standsAs('succeeded')
  await expect.poll(() => page.innerText('table.steps'), patience).toMatch(/tell.*succeeded/s)
  expect(await rowOf('/runs')).not.toContain('at ok')
  expect(problems).toEqual([])
})

it('a person sees how many calls of the workers count against a limit', async () => {
  const { served, page, problems } = await open({})
  const settings = { address: inject('temporalAddress'), namespace: 'default', taskQueue: engines.taskQueue }
  const limits = await openTemporalLimits(settings)
  onTestFinished(() => limits.close())
  const lease = await limits.budget.acquire('acme/monit/tools/catalog', [{ max: 600, lengthMs: 60_000 }])
  lease.sent()
  lease.done()
  const row = async (): Promise<string> => {
    await page.goto(served.url)
    return page.innerText('section:has(h2:text-is("Rate limits"))')
  }
  await expect.poll(row, patience).toMatch(/monit\/tools\/catalog\s+\d+ of /)
  expect(problems).toEqual([])
})

it('a person cancels a run, and another one now', async () => {
  const { page, problems, standsAs, start } = await open({ fleet })
  for (const kind of ['cancel', 'cancel-now']) {
    await start('http://127.0.0.1:9')
    await standsAs('waiting')
    await page.click('text=Cancel the run…')
    if (kind === 'cancel-now') await page.check('text=Skip the clean-up')
    await page.fill(`[action$="/${kind}"] input[name=comment]`, 'not today')
    await page.click(`[action$="/${kind}"] button`)
    await standsAs('cancelled')
  }
  expect(problems).toEqual([])
})
