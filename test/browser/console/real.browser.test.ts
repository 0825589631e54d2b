import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newFolder, opsbook } from '../../cli/support/opsbook.ts'
import { openConsole } from '../../console/support/open-console.ts'
import { openBrowser } from '../open-browser.ts'

const runbook = `
apiVersion: opsbook/v1
name: fleet
title: Check the fleet
steps:
  - id: checks
    for-each: { items: [${Array.from({ length: 30 }, (_, n) => `host-${n}`).join(', ')}], as: host, max-parallel: 8, tolerate: all }
    steps:
      - id: look
        uses: core/log
        with: { message: "\${{ host }} is fine" }
  - id: note
    uses: core/write
    save-as: note.txt
    with: { content: all of them }
`

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

it('a person logs in by the button of a one-time address, and sees a real run in every part', async () => {
  const folder = await newFolder({ 'fleet.yaml': runbook })
  const result = await opsbook(['run', 'fleet.yaml', '--sandbox', '--data-dir', folder], { folder })
  expect(result.code).toBe(0)
  const console = await openConsole(folder)
  const code = console.issueCode({
    by: { name: 'ada', source: 'console', verified: true },
    roles: ['viewer'],
  })
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() !== 'log') problems.push(`${page.url()} ${message.text()}`)
  })

  await page.goto(`${console.url}/login?code=${code}`)
  await page.click('button')
  await page.click('nav >> text=Runs')
  await page.click('.runs >> text=fleet')
  expect(await page.innerText('.stand')).toBe('succeeded')
  expect(await page.innerText('table.steps')).toContain('30 of 30 items')
  for (const [tab, text] of [
    ['Time', 'checks'],
    ['Items', 'Show'],
    ['Journal', 'run started'],
    ['Data', 'note.txt'],
  ] as const) {
    await page.click(`.tabs >> text=${tab}`)
    if (tab !== 'Items') await expect.poll(() => page.innerText('main')).toContain(text)
    await page.waitForSelector('html[data-ready]', { state: 'attached' })
  }
  await page.click('.tabs >> text=Items')
  await page.waitForSelector('html[data-ready]', { state: 'attached' })
  await page.click('.item-table button >> nth=3')
  await expect.poll(() => page.innerText('.detail')).toContain('look')
  await page.click('.tabs >> text=Graph')
  await expect
    .poll(() => page.evaluate(`document.querySelector('.drawing img').naturalWidth`))
    .toBeGreaterThan(100)
  for (const address of ['/', '/inbox', '/runbooks', '/events', '/schedules', '/system']) {
    const answer = await page.goto(console.url + address)
    expect([address, answer?.status()]).toEqual([address, 200])
    await page.waitForSelector('html[data-ready]', { state: 'attached' })
  }
  expect(problems).toEqual([])
  await page.click('text=Log out')
  await expect.poll(() => page.innerText('main')).toContain('Open the console')
  expect((await page.goto(`${console.url}/runs`))?.status()).toBe(401)
  await page.close()
})
