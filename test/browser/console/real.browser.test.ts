import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveConsole } from '../../console/support/serve-console.ts'
import { openBrowser } from '../open-browser.ts'
import { logIn } from './open-page.ts'

const fleet = `
apiVersion: opsbook/v1
name: fleet
title: Check the fleet
inputs: { type: object, required: [region], properties: { region: { type: string, enum: [north, south] } } }
steps:
  - { id: ok, uses: core/approve, with: { message: "Check \${{ inputs.region }}?" } }
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

it('a person logs in, plans, starts and approves a run, sees its end in every part, and logs out', async () => {
  const console = await serveConsole({ fleet })
  const { page, problems, go } = await logIn(browser, await console.login())
  await go('nav >> text=Runbooks')
  await go('main >> text=fleet')
  await go('text=Start…')
  await page.selectOption('label:has-text("region") select', { label: 'south' })
  await go('text=Show the plan')
  expect(await page.innerText('[aria-label="The plan"]')).toContain('Check south?')
  await go('text=Start this plan')
  await expect.poll(() => page.innerText('.stand')).toBe('waiting')
  await page.click('button:text-is("Approve")')
  await expect.poll(() => page.innerText('.stand')).toBe('succeeded')
  await go('nav >> text=Runs')
  await go('.runs >> text=fleet')
  expect(await page.innerText('.stand')).toBe('succeeded')
  expect(await page.innerText('table.steps')).toContain('30 of 30 items')
  for (const [tab, text] of [
    ['Time', 'checks'],
    ['Journal', 'run started'],
    ['Data', 'note.txt'],
    ['Items', 'host-3'],
  ] as const) {
    await go(`.tabs >> text=${tab}`)
    expect(await page.innerText('main')).toContain(text)
  }
  await page.click('.item-table button >> nth=3')
  await expect.poll(() => page.innerText('.detail')).toContain('look')
  await go('.tabs >> text=Graph')
  await expect
    .poll(() => page.evaluate(`document.querySelector('.drawing img').naturalWidth`))
    .toBeGreaterThan(100)
  // A box leads to its step, and those of a loop to its items.
  const leadsTo = (step: string): Promise<string | null> => page.getAttribute(`area[alt="${step}"]`, 'href')
  expect(await leadsTo('checks/look')).toMatch(/^\/runs\/run_\w+\?tab=items&step=checks$/)
  const coords = (await page.getAttribute('area[alt="note"]', 'coords'))?.split(',').map(Number) ?? []
  const [left = 0, top = 0] = coords
  await page.click('.drawing img', { position: { x: left + 10, y: top + 10 } })
  await expect.poll(() => new URL(page.url()).search).toBe('?tab=step&step=note')
  await go('.tabs >> text=Graph')
  const isCut = (): Promise<boolean> => page.isVisible('text=scroll it sideways')
  await expect.poll(isCut).toBe(false)
  await page.setViewportSize({ width: 240, height: 800 })
  await expect.poll(isCut).toBe(true)
  await page.setViewportSize({ width: 1280, height: 800 })
  for (const [word, address] of [
    ['Inbox', '/inbox'],
    ['Runbooks', '/runbooks'],
    ['Events', '/events'],
    ['Schedules', '/schedules'],
    ['System', '/system'],
    ['Now', '/'],
  ] as const) {
    await go(`nav >> text=${word}`)
    expect(new URL(page.url()).pathname).toBe(address)
  }
  expect(problems).toEqual([])
  await go('text=Log out')
  expect(await page.innerText('main')).toContain('Open the console')
  expect((await page.goto(`${console.url}/runs`))?.status()).toBe(401)
})
