import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newFolder, opsbook } from '../../cli/support/opsbook.ts'
import { serveConsole } from '../../console/support/serve-console.ts'
import { openBrowser } from '../open-browser.ts'
import { logIn } from './open-page.ts'

const release = `
apiVersion: opsbook/v1
name: release
title: Release the shop
inputs:
  type: object
  required: [region]
  properties:
    region: { type: string, enum: [north, south], description: where to }
    hosts: { type: array, items: { type: string }, default: [web-01, web-02] }
    target: { type: object, properties: { size: { type: integer, maximum: 5 } } }
steps:
  - id: hosts
    for-each: { items: "\${{ inputs.hosts }}", as: host, max-parallel: 2 }
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

/** A console of a run that asks two questions, and the page of the run. */
async function stage() {
  const console = await serveConsole({ release })
  await console.start('release', { region: 'north' }, 'waiting')
  const asked = async () => (await console.json('/api/v1/inbox')).waiting
  await expect.poll(asked).toMatchObject([{ count: 2 }])
  const opened = await logIn(browser, await console.login())
  await opened.go('nav >> text=Runs')
  await opened.go('.runs >> text=release')
  return { console, ...opened }
}

it.each([
  { name: 'without scripts', javaScriptEnabled: false },
  { name: 'with scripts', javaScriptEnabled: true },
])('a person plans, starts, approves and answers in a browser $name', async ({ javaScriptEnabled }) => {
  const console = await serveConsole({ release })
  const { page, problems, go } = await logIn(browser, await console.login(), { javaScriptEnabled })
  await go('nav >> text=Runbooks')
  await go('main >> text=release')
  await go('text=Start…')
  await page.fill('label:has-text("target.size") input', '9')
  // The browser asks for what is required. The other rules are those of the server.
  await page.click('text=Show the plan')
  expect(await page.locator('select:invalid').count()).toBe(1)
  await page.selectOption('label:has-text("region") select', { label: 'north' })
  await go('text=Show the plan')
  expect(await page.innerText('[role=alert]')).toContain('the inputs do not fit release')
  expect(await page.inputValue('label:has-text("target.size") input')).toBe('9')
  await page.fill('label:has-text("target.size") input', '3')
  await page.fill('label:has-text("hosts") input', 'web-03, web-04')
  await go('text=Show the plan')
  expect(await page.innerText('[aria-label="The plan"]')).toContain('["web-03","web-04"]')
  await go('text=Start this plan')
  const asks = (words: string) =>
    expect
      .poll(async () => {
        await page.goto(`${console.url}/inbox`)
        return [await page.innerText('main'), await page.locator('nav .count').allInnerTexts()]
      })
      // The number in the head can be a second old.
      .toEqual([expect.stringContaining(words), [expect.stringMatching(/^1\b/)]])
  await asks('Approve all 2')
  expect(await page.innerText('.asked')).toContain('Restart web-04?')
  await go('text=Approve all 2')
  expect(new URL(page.url()).pathname).toBe('/inbox')
  await asks('How many at a time?')
  await go('main a[href^="/runs/"]')
  await page.fill('input[name="set:size"]', '9')
  await page.selectOption('select[name="choice:zones"]', ['1'])
  await page.fill('.inbox input[name=comment]', 'the <rest> tomorrow')
  await go('button[value="answer"]')
  expect(await page.innerText('[role=alert]')).toContain('answer.size: must be at most 5')
  expect(await page.inputValue('.inbox input[name=comment]')).toBe('the <rest> tomorrow')
  expect(await page.inputValue('select[name="choice:zones"]')).toBe('1')
  await page.fill('input[name="set:size"]', '2')
  await go('button[value="answer"]')
  await expect
    .poll(async () => {
      if (!javaScriptEnabled) await page.reload()
      return page.innerText('.stand')
    })
    .toBe('succeeded')
  expect(problems).toEqual([])
})

it('a person pauses, continues and cancels a run in a browser', async () => {
  const { page, problems } = await stage()
  const standsAs = (status: string) => expect.poll(() => page.innerText('.stand')).toBe(status)
  await page.click('.controls >> text=Pause')
  await standsAs('paused')
  await page.click('.controls >> text=Continue')
  await standsAs('waiting')
  await page.click('text=Cancel the run…')
  await page.click('text=Go back')
  await expect.poll(() => page.isVisible('dialog')).toBe(false)
  await page.click('text=Cancel the run…')
  await page.fill('dialog [action$="/cancel"] input[name=comment]', 'not today')
  await page.click('dialog [action$="/cancel"] button')
  await standsAs('cancelled')
  expect(problems).toEqual([])
})

it('a question that is answered elsewhere goes from the open page of its run', async () => {
  const { console, page, problems } = await stage()
  expect(await page.innerText('.inbox')).toContain('Restart web-02?')
  const words = ['approve', 'latest', 'hosts[1]/ok', '--data-dir', 'data']
  expect(await opsbook(words, { folder: console.folder })).toMatchObject({ code: 0 })
  await expect.poll(() => page.innerText('.inbox')).not.toContain('Restart web-02?')
  expect(await page.innerText('.inbox')).toContain('Restart web-01?')
  expect(problems).toEqual([])
})

it('the page of a failed run shows what a resume came to, also a short one', async () => {
  const file = join(await newFolder(), 'there')
  const look = `
apiVersion: opsbook/v1
name: look
steps:
  - { id: file, uses: core/command, with: { command: [ls, "${file}"], safety: read } }
`
  const console = await serveConsole(
    { look },
    { words: ['--sandbox', '--allow-outside'], configured: 'commands: { local: true }\n' },
  )
  const runId = await console.start('look', {}, 'failed')
  const { page, problems, go } = await logIn(browser, await console.login())
  await go('nav >> text=Runs')
  await go('.runs >> text=look')
  expect(await page.innerText('.stand')).toBe('failed')
  const elsewhere = await page.context().newPage()
  await elsewhere.goto(`${console.url}/runs/${runId}/resume`)
  await writeFile(file, '')
  await elsewhere.click('main button.main')
  await elsewhere.waitForURL(`${console.url}/runs/${runId}`)
  for (const open of [elsewhere, page]) await expect.poll(() => open.innerText('.stand')).toBe('succeeded')
  expect(problems).toEqual([])
})
