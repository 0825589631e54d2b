import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newFolder } from '../../cli/support/opsbook.ts'
import { serveConsole } from '../../console/support/serve-console.ts'
import { openBrowser } from '../open-browser.ts'
import { logIn } from './log-in.ts'

const release = `
apiVersion: opsbook/v1
name: release
title: Release the shop
inputs:
  type: object
  required: [region]
  properties:
    region: { type: string, enum: [north, south], description: where to }
    hosts: { type: array, items: { type: string }, default: [web-01] }
    target: { type: object, properties: { size: { type: integer, maximum: 5 } } }
steps:
  - { id: ok, uses: core/approve, with: { message: "Release to \${{ inputs.region }}?" } }
  - { id: tell, uses: core/log, with: { message: "\${{ inputs.hosts[0] }}" } }
`

interface Answer {
  readonly approved: boolean
  readonly by: { readonly name: string }
}

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

it.each([
  { name: 'without scripts', scripts: false },
  { name: 'with scripts', scripts: true },
])('a person plans, starts, approves and sees the end in a browser $name', async ({ scripts }) => {
  const console = await serveConsole({ release })
  const { page, problems } = await logIn(browser, await console.login(), scripts)
  await page.click('nav >> text=Runbooks')
  await page.click('main >> text=release')
  await page.click('text=Start…')
  await page.fill('label:has-text("target.size") input', '9')
  // The browser asks for what is required. The other rules are those of the server.
  await page.click('text=Show the plan')
  expect(await page.locator('select:invalid').count()).toBe(1)
  await page.selectOption('label:has-text("region") select', { label: 'north' })
  await page.click('text=Show the plan')
  expect(await page.innerText('[role=alert]')).toContain('the inputs do not fit release')
  expect(await page.inputValue('label:has-text("target.size") input')).toBe('9')
  await page.selectOption('label:has-text("region") select', { label: 'south' })
  await page.fill('label:has-text("target.size") input', '3')
  await page.fill('label:has-text("hosts") input', 'web-01, web-02')
  await page.click('text=Show the plan')
  const plan = await page.innerText('[aria-label="The plan"]')
  expect(plan).toContain('Release to south?')
  expect(plan).toContain('["web-01","web-02"]')
  await page.click('text=Start this plan')
  await page.waitForURL(/\/runs\/run_/)
  const look = async () => {
    if (!scripts) await page.reload()
    return page.innerText('.stand')
  }
  await expect.poll(look).toBe('waiting')
  // The run asks a moment later than its page is there.
  await page.reload()
  await page.click('button:text-is("Approve")')
  await expect.poll(look).toBe('succeeded')
  expect(problems).toEqual([])
  await page.context().close()
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
  const { page, problems } = await logIn(browser, await console.login(), true)
  await page.goto(`${console.url}/runs/${runId}`)
  expect(await page.innerText('.stand')).toBe('failed')
  const elsewhere = await page.context().newPage()
  await elsewhere.goto(`${console.url}/runs/${runId}/resume`)
  await writeFile(file, '')
  await elsewhere.click('text=Resume exactly so')
  await elsewhere.waitForURL(`${console.url}/runs/${runId}`)
  for (const open of [elsewhere, page]) await expect.poll(() => open.innerText('.stand')).toBe('succeeded')
  expect(problems).toEqual([])
  await page.context().close()
})

it('of two people who answer in two browsers at once, exactly one wins, and the other sees who answered', async () => {
  const console = await serveConsole({ release })
  const runId = await console.start('release', { region: 'north' }, 'waiting')
  const browsers = [
    await logIn(browser, await console.login(), true),
    await logIn(browser, await console.login(), true),
  ]
  const pages = browsers.map(({ page }) => page)
  for (const page of pages) {
    await page.goto(`${console.url}/runs/${runId}`)
    await page.waitForSelector('button[value="approve"]')
  }
  const [one, other] = pages as [Page, Page]
  await Promise.all([
    Promise.all([one.waitForNavigation(), one.click('button[value="approve"]')]),
    Promise.all([other.waitForNavigation(), other.click('button[value="reject"]')]),
  ])
  const alerts = await Promise.all(pages.map((page) => page.locator('[role=alert]').allInnerTexts()))
  const lost = alerts.flat()
  expect(lost).toHaveLength(1)
  const run = async () =>
    (await console.json(`/api/v1/runs/${runId}`)) as {
      readonly questions: readonly { readonly answers: readonly Answer[] }[]
    }
  await expect.poll(run).toMatchObject({ questions: [{ answers: [{ by: { source: 'console' } }] }] })
  const [answer] = (await run()).questions[0]?.answers ?? []
  expect(lost[0]).toMatch(new RegExp(`${answer?.approved ? 'approved' : 'rejected'} by ${answer?.by.name}`))
  for (const { page, problems } of browsers) {
    expect(problems).toEqual([])
    await page.context().close()
  }
})
