import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newFolder, opsbook } from '../../cli/support/opsbook.ts'
import { startServing } from '../../security/support/serve-in-process.ts'
import { openBrowser } from '../open-browser.ts'
import { logIn } from './log-in.ts'

const runbook = `
apiVersion: opsbook/v1
name: release
title: Release the shop
steps:
  - id: hosts
    for-each: { items: [web-01, web-02], as: host, max-parallel: 2 }
    steps: [{ id: ok, uses: core/approve, with: { message: "Restart \${{ host }}?" } }]
  - id: which
    uses: core/ask
    with:
      message: How many at a time?
      answer:
        type: object
        required: [size, zones]
        properties:
          size: { type: integer, maximum: 5, description: hosts at a time }
          zones: { type: array, minItems: 1, items: { type: string, enum: [north, south] } }
          drain: { type: boolean }
`

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

/** A run that asks, the console of a serve beside it, and a page whose person has logged in. */
async function stage(javaScriptEnabled: boolean) {
  const folder = await newFolder({
    'opsbook.yaml': 'console: { listen: "127.0.0.1:0" }\n',
    'release.yaml': runbook,
  })
  await startServing(['--sandbox', '--data-dir', 'data'], { folder })
  let asked = 0
  const begun = new Promise<{ readonly ended: ReturnType<typeof opsbook> }>((resolve) => {
    const ended = opsbook(['run', 'release.yaml', '--data-dir', 'data'], {
      folder,
      onWrite(text) {
        asked += text.split('no terminal to ask on').length - 1
        if (asked >= 2) resolve({ ended })
      },
    })
  })
  const { ended } = await begun
  const printed = await opsbook(['console', '--data-dir', 'data', '--output', 'json'], { folder })
  const { url, login } = JSON.parse(printed.stdout) as { readonly url: string; readonly login: string }
  return { folder, url, ended, ...(await logIn(browser, login, javaScriptEnabled)) }
}

it.each([
  { name: 'without scripts', scripts: false },
  { name: 'with scripts', scripts: true },
])('a person approves and answers in a browser $name, and the run goes on', async ({ scripts }) => {
  const { page, url, ended, problems } = await stage(scripts)
  await page.goto(`${url}/inbox`)
  expect(await page.innerText('nav .count')).toContain('1')
  expect(await page.innerText('.asked')).toContain('Restart web-02?')
  await page.click('text=Approve all 2')
  expect(new URL(page.url()).pathname).toBe('/inbox')
  await expect
    .poll(async () => {
      await page.goto(`${url}/inbox`)
      return page.innerText('main')
    })
    .toContain('How many at a time?')
  await page.click('main a[href^="/runs/"]')
  await page.fill('input[name="set:size"]', '9')
  await page.selectOption('select[name="choice:zones"]', ['1'])
  await page.fill('.inbox input[name=comment]', 'the <rest> tomorrow')
  await page.click('button[value="answer"]')
  expect(await page.innerText('[role=alert]')).toContain('answer.size: must be at most 5')
  expect(await page.inputValue('.inbox input[name=comment]')).toBe('the <rest> tomorrow')
  expect(
    await page
      .locator('select[name="choice:zones"]')
      .evaluate((one) => (one as unknown as { value: string }).value),
  ).toBe('1')
  await page.fill('input[name="set:size"]', '2')
  await page.click('button[value="answer"]')
  expect(await ended).toMatchObject({ code: 0 })
  await page.goto(page.url())
  await expect.poll(() => page.innerText('.stand')).toBe('succeeded')
  expect(problems).toEqual([])
  await page.context().close()
})

it('a person pauses, continues and cancels a run in a browser', async () => {
  const { page, url, ended, problems } = await stage(true)
  await page.goto(`${url}/inbox`)
  await page.click('main a[href^="/runs/"]')
  await page.click('.controls >> text=Pause')
  await expect.poll(() => page.innerText('.stand')).toBe('paused')
  await page.click('.controls >> text=Continue')
  await expect.poll(() => page.innerText('.stand')).toBe('waiting')
  await page.click('summary:has-text("Cancel…")')
  await page.fill('details.cancel input[name=comment]', 'not today')
  await page.click('details.cancel button')
  await expect.poll(() => page.innerText('.stand')).toBe('cancelled')
  expect(await ended).toMatchObject({ code: 3 })
  expect(problems).toEqual([])
  await page.context().close()
})

it('a question that is answered elsewhere goes from the open page of its run', async () => {
  const { page, folder, url, problems } = await stage(true)
  await page.goto(`${url}/inbox`)
  await page.click('main a[href^="/runs/"]')
  expect(await page.innerText('.inbox')).toContain('Restart web-02?')
  const answered = await opsbook(['approve', 'latest', 'hosts[1]/ok', '--data-dir', 'data'], { folder })
  expect(answered.code).toBe(0)
  await expect.poll(() => page.innerText('.inbox')).not.toContain('Restart web-02?')
  expect(await page.innerText('.inbox')).toContain('Restart web-01?')
  expect(problems).toEqual([])
  await page.context().close()
})
