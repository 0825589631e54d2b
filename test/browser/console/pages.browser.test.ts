import { afterAll, beforeAll, expect, it } from 'vitest'
import { takeReports } from '../open-browser.ts'
import { openPage } from './open-page.ts'
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
      shown.replaceAll(/\b[\d.]+[smhd]\b/g, 'some time'),
    )
    expect(texts[0]).toContain(text)
    expect(texts[1]).toBe(texts[0])
    expect(live.problems).toEqual([])
    await still.page.context().close()
    await live.page.context().close()
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
