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
    await expect.poll(() => server.streams()).toBe(0)
    const { page } = await openPage(browser, `${server.address}${address}`)
    const count = (): Promise<string> => page.innerText('nav .count')
    expect(await count()).toMatch(/^3/)
    await expect.poll(() => server.streams()).toBe(1)
    server.send('inbox', {})
    await expect.poll(count).toMatch(/^1/)
  },
)

it('on a phone all that a yes permits is within the window, and a yes and a no stand side by side', async () => {
  const { browser, server } = stage
  const { page } = await openPage(browser, `${server.address}/inbox/asked`, {
    viewport: { width: 390, height: 844 },
  })
  for (const summary of await page.locator('.calls summary').all()) await summary.click()
  expect(await page.innerText('.calls')).toContain('is done about it now: the end.')
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  const edges =
    'Math.max(...[...document.querySelectorAll(".calls dd")].map((one) => one.getBoundingClientRect().right))'
  expect(await page.evaluate(edges)).toBeLessThan(390)
  const boxes = ['Approve all 12', 'Reject all 12'].map((word) => page.locator(`text=${word}`).boundingBox())
  const [yes, no] = await Promise.all(boxes)
  expect(no?.y).toBe(yes?.y)
  expect(no?.width).toBeGreaterThan(100)
})

it.each([true, false])('a run is cancelled in a dialog, with scripts: %s', async (javaScriptEnabled) => {
  const { browser, server } = stage
  const admin = { name: 'maria', roles: ['admin'] }
  server.pages.set('/runs/x/mine', () => ({ ...runState('steps'), user: admin, csrf: 'proof' }))
  const { page } = await openPage(browser, `${server.address}/runs/x/mine`, { javaScriptEnabled })
  const shown = (): Promise<readonly (string | null)[]> =>
    page
      .locator('dialog form:visible')
      .evaluateAll((forms) => forms.map((form) => form.getAttribute('action')?.split('/').at(-1) ?? null))
  expect(await shown()).toEqual([])
  await page.click('text=Cancel the run…')
  await expect.poll(shown).toEqual(['cancel'])
  await page.check('text=Skip the clean-up')
  await expect.poll(shown).toEqual(['cancel-now'])
  await page.click('text=Go back')
  await expect.poll(shown).toEqual([])
})

it('what a call has answered is asked for only where it was done', async () => {
  const { page } = await openPage(stage.browser, `${stage.server.address}/runs/x/decide`)
  const isAsked = (): Promise<boolean> => page.isVisible('text=What has it answered?')
  await page.check('text=It was not done')
  expect(await isAsked()).toBe(false)
  await page.check('text=It was done')
  await expect.poll(isAsked).toBe(true)
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
  }
})

it('the page of an invalid runbook shows its findings line by line', async () => {
  const { page } = await openPage(stage.browser, `${stage.server.address}/runbooks/old-check`)
  expect((await page.innerText('.findings')).split('\n')).toHaveLength(3)
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
  const { page } = await openPage(browser, `${server.address}/login`)
  await page.evaluate(script).catch(() => {})
  await expect.poll(() => takeReports(browser).join('\n')).toContain(report)
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
})
