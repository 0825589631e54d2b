import { afterAll, beforeAll, expect, it } from 'vitest'
import type { StateOf } from '../../../src/console/pages/index.ts'
import { takeReports } from '../open-browser.ts'
import { openPage } from './open-page.ts'
import { runState } from './sample-run.ts'
import { samples } from './sample-states.ts'
import { addresses, openStage, type Stage } from './stage.ts'

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

it.each(addresses)(
  'the page %s can be read without scripts, and is the same once they have run',
  async (address, text) => {
    const { browser, server } = stage
    const still = await openPage(browser, `${server.address}${address}`, { javaScriptEnabled: false })
    const live = await openPage(browser, `${server.address}${address}`)

    // The clock of the second one runs.
    const texts = [await still.page.innerText('main'), await live.page.innerText('main')].map((shown) =>
      shown.replaceAll(/\b[\d.]+[smhd]\b(?: [\d.]+[smhd]\b)*/g, 'some time'),
    )
    expect(texts[0]).toContain(text)
    expect(texts[1]).toBe(texts[0])
    expect(live.problems).toEqual([])
    await still.page.context().close()
    await live.page.context().close()
  },
)

it.each(['/', '/inbox', '/runs/x/asking'])(
  'the number in the head of %s is that of what waits now',
  async (address) => {
    const { browser, server } = stage
    const { inbox } = (samples['/inbox'] as StateOf<'inbox'>).data
    const run = runState('steps')
    server.pages.set('/runs/x/asking', () => ({ ...run, data: { ...run.data, inbox } }))
    server.documents.set('/api/v1/inbox', () => ({ waiting: inbox.waiting.slice(0, 1) }))
    server.documents.set('/api/v1/runs', () => ({ runs: [] }))
    const { page } = await openPage(browser, `${server.address}${address}`)
    const count = (): Promise<string> => page.innerText('nav .count')
    expect(await count()).toMatch(/^3/)
    await expect.poll(() => server.streams()).toBe(1)
    server.send('inbox', {})
    await expect.poll(count).toMatch(/^1/)
    await page.context().close()
    await expect.poll(() => server.streams()).toBe(0)
  },
)

it('the page Now names no time of a schedule that is paused', async () => {
  const { page } = await openPage(stage.browser, `${stage.server.address}/`)
  const shown = await page.locator('section:has(.next)').innerText()
  expect(shown).toContain('morning-diagnosis')
  expect(shown).toContain('1 schedule is paused.')
  expect(shown).not.toContain('weekly-report')
  await page.goto(`${stage.server.address}/schedules`)
  expect(await page.locator('tr:has-text("weekly-report")').innerText()).toContain('once it is resumed')
  await page.context().close()
})

it.each([
  { place: '/events', row: 'escalate-alert', says: 'no match: where false', sign: 'idle' },
  { place: '/events', row: 'diagnose-host', says: 'cannot start: inputs invalid', sign: 'bad' },
  { place: '/events', row: 'roll-out-image', says: 'held back: paused', sign: 'held' },
  { place: '/schedules', row: 'not started', says: 'not started: missed', sign: 'held' },
])('$place says what a reason means: $says', async ({ place, row, says, sign }) => {
  const { page } = await openPage(stage.browser, `${stage.server.address}${place}`)
  const verdict = page.locator(`main li:has-text("${row}") .status`)
  expect(await verdict.innerText()).toBe(says)
  expect(await verdict.getAttribute('class')).toContain(sign)
  await page.context().close()
})

it.each(['/runbooks', '/runbooks/rotate-token'])(
  '%s names no time of a schedule that is paused',
  async (path) => {
    const { page } = await openPage(stage.browser, `${stage.server.address}${path}`)
    const [weekly, event, hourly] = await page
      .locator('li:has-text("UTC"), li:has-text("Berlin"), li:has-text("on an event")')
      .allInnerTexts()
    expect(weekly).toContain('paused')
    expect(weekly).not.toContain('next')
    expect(event).not.toContain('paused')
    expect(hourly).toMatch(/^every 1h UTC\s+next in 30m$/)
    await page.context().close()
  },
)

it('the page Now shows the limits of connections beside those of actions', async () => {
  const { page } = await openPage(stage.browser, `${stage.server.address}/`)
  const row = await page.innerText('tr:has-text("connection crm")')
  expect(row).toContain('12 of 80 a minute')
  expect(row).toContain('refused as too frequent')
  expect(await page.innerText('tr:has-text("monit/tools/catalog")')).toContain('not known now')
  await page.context().close()
})

it('a runbook outside the folder of the server has no link, since it has no page', async () => {
  const { page } = await openPage(stage.browser, `${stage.server.address}/schedules`)
  const linked = await page.locator('main a[href^="/runbooks/"]').allInnerTexts()
  expect(linked).toContain('morning-diagnosis')
  expect(await page.innerText('main')).toContain('weekly-report')
  expect(linked).not.toContain('weekly-report')
  await page.context().close()
})

it('a list of one value in a plan is seen to be a list', async () => {
  const { page } = await openPage(stage.browser, `${stage.server.address}/runbooks/rotate-token/planned`)
  expect(await page.innerText('main')).toContain('scopes: ["read"]')
  await page.context().close()
})

it('no text of a page turns the direction of what stands beside it', async () => {
  const { browser, server } = stage
  const state = samples['/runbooks/rotate-token'] as StateOf<'runbook'>
  const { runbook } = state.data
  server.pages.set('/turned', () => ({
    ...state,
    path: '/turned',
    data: { runbook: { ...runbook, title: 'Delete \u202eeno\u2066 of two' } },
  }))
  for (const javaScriptEnabled of [true, false]) {
    const { page } = await openPage(browser, `${server.address}/turned`, { javaScriptEnabled })
    expect(await page.innerText('h1')).toBe('Delete \\u202eeno\\u2066 of two')
    await page.context().close()
  }
})

it('the page of an invalid runbook shows its findings line by line', async () => {
  const { page } = await openPage(stage.browser, `${stage.server.address}/runbooks/old-check`)
  expect((await page.innerText('.findings')).split('\n')).toHaveLength(3)
  await page.context().close()
})

it.each([
  { about: 'markup from text', script: `document.body.innerHTML = '<b>x</b>'`, report: 'TrustedHTML' },
  {
    about: 'a script of its own',
    script: `document.head.append(Object.assign(document.createElement('script'), { src: 'http://127.0.0.1:9/x.js' }))`,
    report: 'Trusted',
  },
  {
    about: 'a picture of another host',
    script: `document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/x.png' }))`,
    report: 'img-src',
  },
  {
    about: 'a request to another host',
    script: `fetch('http://127.0.0.1:9/').catch(() => {})`,
    report: 'connect-src',
  },
])('the policy stops $about, and the tests are told of it', async ({ script, report }) => {
  const { browser, server } = stage
  const page = await browser.newPage()
  await page.goto(`${server.address}/login`)
  await page.evaluate(script).catch(() => {})
  await expect.poll(() => takeReports(browser).join('\n')).toContain(report)
  await page.context().close()
})

it('in forced colors the current page, the bars and the signs can still be told apart', async () => {
  const { page } = await openPage(stage.browser, `${stage.server.address}/`, { forcedColors: 'active' })
  const colorOf = (selector: string, property: string): Promise<string> =>
    page
      .locator(selector)
      .first()
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)
  // A line that is transparent otherwise is the one thing that names the current page.
  const lines = ['.top li a[aria-current]', '.top li a:not([aria-current])']
  const [current, other] = await Promise.all(lines.map((line) => colorOf(line, 'border-bottom-color')))
  expect(current).not.toBe(other)
  expect(other).toBe(await colorOf('.notice', 'background-color'))
  const bars = ['.bar .left', '.bar .flight', '.bar .held']
  const fills = await Promise.all(bars.map((bar) => colorOf(bar, 'fill')))
  expect(new Set(fills).size).toBe(3)
  // Words stand beside the signs, so both have the color of text.
  const text = await colorOf('body', 'color')
  for (const status of ['.status.bad', '.status.held']) expect(await colorOf(status, 'color')).toBe(text)
  expect(await colorOf('.status .sign', 'stroke')).toBe(text)
  await page.context().close()
})
