/** The console on the Temporal engine, in a browser: a worker executes what people start, answer, decide and resume. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest'
import { openTemporalLimits } from '../../../src/engine/temporal/index.ts'
import { consoleHere, type ServedConsole, serveConsole } from '../../console/support/serve-console.ts'
import { type Engines, openEngines } from '../../engine/temporal/commands/open-engines.ts'
import { openBrowser } from '../open-browser.ts'

const release = `apiVersion: opsbook/v1
name: release
title: Release the shop
inputs: { type: object, required: [region], properties: { region: { type: string, enum: [north, south] } } }
steps:
  - { id: ok, uses: core/approve, with: { message: "Release to \${{ inputs.region }}?", timeout: 2h } }
  - { id: tell, uses: core/log, with: { message: "\${{ inputs.region }} has it" } }
`

const make = `apiVersion: opsbook/v1
name: make
inputs: { type: object, required: [url], properties: { url: { type: string } } }
steps:
  - { id: ok, uses: core/approve, with: { message: Go? } }
  - { id: thing, uses: core/http, with: { method: POST, safety: create, url: "\${{ inputs.url }}" } }
  - { id: tell, uses: core/log, with: { message: "made \${{ steps.thing.outputs.body.id }}" } }
`

const items = 300
const fleet = `apiVersion: opsbook/v1
name: fleet
title: Check the fleet
inputs: { type: object, required: [url], properties: { url: { type: string } } }
steps:
  - id: checks
    for-each: { items: [${Array.from({ length: items }, (_, n) => `host-${n}`).join(', ')}], as: host, max-parallel: 10, tolerate: all }
    steps: [{ id: look, uses: core/http, with: { method: GET, url: "\${{ inputs.url }}/\${{ host }}" } }]
`

/** A server on a free port, and its address. */
async function serving(answer: (path: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer(({ url = '' }, response) => answer(url, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Workers and pages of other tests are at work, too. */
const patience = { timeout: 40_000 }
vi.setConfig({ testTimeout: 150_000 })

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
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${page.url()} ${message.text()}`)
  })
  await page.goto(await served.login())
  await page.click('button')
  const standsAs = (status: string) => expect.poll(() => page.innerText('.stand'), patience).toBe(status)
  return { served, page, problems, standsAs }
}

/** Starts a run from the list of runbooks, by the plan. */
async function startOn(page: Page, runbook: string, fill: () => Promise<unknown>): Promise<void> {
  await page.click('nav >> text=Runbooks')
  await page.click(`main >> text=${runbook}`)
  await page.click('text=Start…')
  await fill()
  await page.click('text=Show the plan')
  await page.click('text=Start this plan')
  await page.waitForURL(/\/runs\/run_/)
}

/** The words of the row of a run in a list. */
async function rowOf(page: Page, { url }: ServedConsole, address: string, runId: string): Promise<string> {
  await page.goto(url + address)
  return page.innerText(`tr:has(a[href="/runs/${runId}"])`)
}

it('a person starts a run, pauses it, continues it, approves and sees the end', async () => {
  const { served, page, problems, standsAs } = await open({ release })
  await startOn(page, 'release', () =>
    page.selectOption('label:has-text("region") select', { label: 'south' }),
  )
  const address = page.url()
  const runId = new URL(address).pathname.split('/').at(-1) ?? ''
  await standsAs('waiting')
  for (const list of ['/', '/runs'])
    await expect
      .poll(() => rowOf(page, served, list, runId), patience)
      .toMatch(/waiting.*at ok: awaits approval, \d/s)
  await page.goto(address)
  await page.click('.controls >> text=Pause')
  await standsAs('paused')
  await page.click('.controls >> text=Continue')
  await standsAs('waiting')
  await page.click('button:text-is("Approve")')
  await standsAs('succeeded')
  await expect.poll(() => page.innerText('table.steps'), patience).toMatch(/tell.*succeeded/s)
  expect(await rowOf(page, served, '/runs', runId)).not.toContain('at ok')
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
  const { page, problems, standsAs } = await open({ release })
  for (const kind of ['cancel', 'cancel-now']) {
    await startOn(page, 'release', () =>
      page.selectOption('label:has-text("region") select', { label: 'north' }),
    )
    await standsAs('waiting')
    await page.click(`details.${kind} summary`)
    await page.fill(`details.${kind} input[name=comment]`, 'not today')
    await page.click(`details.${kind} button`)
    await standsAs('cancelled')
  }
  expect(problems).toEqual([])
})

it('a person decides an unknown outcome, and resumes the run as it was compared', async () => {
  const { page, problems, standsAs } = await open({ make })
  const url = await serving((_, response) => void response.socket?.destroy())
  await startOn(page, 'make', () => page.fill('label:has-text("url") input', url))
  await standsAs('waiting')
  await page.click('button:text-is("Approve")')
  await standsAs('unknown')
  await page.click('a:has-text("Resolve")')
  await page.check('input[name="do"][value="succeeded"]')
  await page.fill('[name="set:body"]', '{ id: x1 }')
  await page.click('button.main')
  await page.waitForURL(/\/resume$/)
  await page.click('text=Resume exactly so')
  await page.waitForURL(/\/runs\/run_[^/]+$/)
  await standsAs('succeeded')
  expect(problems).toEqual([])
})

it('a person watches the items of a loop while they run: counts move, failures group, an item opens', async () => {
  const held: (() => void)[] = []
  let isHeld = true
  const url = await serving((path, response) => {
    const answer = (): void => {
      response.writeHead(path.endsWith('0') ? 404 : 200, { 'content-type': 'application/json' }).end('{}')
    }
    if (isHeld && Number(path.replace(/\D/g, '')) >= items / 3) held.push(answer)
    else answer()
  })
  const { page, problems, standsAs } = await open({ fleet })
  await startOn(page, 'fleet', () => page.fill('label:has-text("url") input', url))
  await expect.poll(() => page.locator('.tabs >> text=Items').count(), patience).toBe(1)
  await page.click('.tabs >> text=Items')
  await page.waitForSelector('html[data-ready]', { state: 'attached' })
  const figures = async (...words: readonly string[]): Promise<readonly number[]> =>
    Promise.all(
      words.map(async (word) =>
        Number(await page.innerText(`.figures div:has(dt:text-is("${word}")) dd`, { timeout: 1000 })),
      ),
    )
  // A third has ended, and the next ten are on their way.
  const seen = () => figures('items', 'done', 'failed', 'in flight', 'left').catch(() => [])
  await expect.poll(seen, patience).toEqual([items, 100, 10, 10, 190])
  await standsAs('running')
  expect(await page.innerText('.panels')).toMatch(/10\s+HttpRefused.*In flight, the longest first.*host-100/s)
  const opened = page.url()
  isHeld = false
  for (const answer of held) answer()
  await expect.poll(seen, patience).toEqual([items, 300, 30, 0, 0])
  await standsAs('succeeded')
  expect(page.url()).toBe(opened)
  const groups = page.locator('.panels section:has(h3:text-is("Failures by what they say")) tbody tr')
  expect(await groups.count()).toBe(1)
  expect(await groups.innerText()).toMatch(/^30\s/)
  await page.click('.item-table button >> nth=3')
  await expect.poll(() => page.innerText('.detail'), patience).toMatch(/host-3.*look.*succeeded/s)
  expect(problems).toEqual([])
})
