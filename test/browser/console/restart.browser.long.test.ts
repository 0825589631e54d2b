import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newFolder, opsbook } from '../../cli/support/opsbook.ts'
import { requireBuild, start } from '../../cli/support/process.ts'
import { openBrowser } from '../open-browser.ts'
import { openPage } from './open-page.ts'
import { viewOf } from './sample-run.ts'
import { openStage } from './stage.ts'

const runbook = `
apiVersion: opsbook/v1
name: release
title: Release the shop
steps:
  - id: hosts
    for-each: { items: [web-01, web-02], as: host, max-parallel: 2 }
    steps: [{ id: ok, uses: core/approve, with: { message: "Restart \${{ host }}?" } }]
  - { id: last, uses: core/log, with: { message: done } }
`

let browser: Browser

beforeAll(async () => {
  requireBuild()
  browser = await openBrowser()
}, 300_000)
afterAll(() => browser?.close())

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

it('a page shows what was while serve is away, and continues with the serve after it', async () => {
  const folder = await newFolder({
    'opsbook.yaml': `console: { listen: "127.0.0.1:${await freePort()}" }\n`,
    'release.yaml': runbook,
  })
  const data = ['--data-dir', 'data']
  const serve = async () => {
    const serving = start(['serve', '--sandbox', '--listen', '127.0.0.1:0', ...data], {}, folder)
    await serving.until('stdout', 'serve ready')
    return serving
  }
  const issueLogin = async (): Promise<string> =>
    JSON.parse((await opsbook(['console', ...data, '--output', 'json'], { folder })).stdout).login
  const approve = (item: number) => opsbook(['approve', 'latest', `hosts[${item}]/ok`, ...data], { folder })
  let asked = 0
  let ended: ReturnType<typeof opsbook> | undefined
  await new Promise<void>((resolve) => {
    ended = opsbook(['run', 'release.yaml', ...data], {
      folder,
      onWrite(text) {
        asked += text.split('no terminal to ask on').length - 1
        if (asked >= 2) resolve()
      },
    })
  })
  const first = await serve()
  const context = await browser.newContext()
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  await page.goto(await issueLogin())
  await page.click('button')
  await page.click('nav >> text=Runs')
  await page.click('.runs >> text=release')
  await page.waitForSelector('html[data-ready]', { state: 'attached' })
  const connection = (): Promise<string> => page.innerText('.connection')
  const statusOf = (item: string): Promise<string> => page.innerText(`tr:has-text("${item}") .word`)
  await expect.poll(connection).toBe('live')
  expect(await statusOf('web-01')).toBe('running')

  first.child.kill('SIGKILL')
  await first.ended
  await expect.poll(connection).toBe('no answer')
  await approve(0)
  expect(await page.innerText('h1')).toBe('Release the shop')
  expect(await statusOf('web-01')).toBe('running')

  await serve()
  await expect.poll(connection).toBe('live')
  await expect.poll(() => statusOf('web-01')).toBe('succeeded')
  // The forms of the page that was open are those of its session still.
  await page.click('button:text-is("Pause")')
  await page.click('button:text-is("Continue")')
  await approve(1)
  await expect.poll(() => page.innerText('.stand')).toBe('succeeded')
  expect((await ended)?.code).toBe(0)

  await page.click('nav >> text=Inbox')
  await expect.poll(connection).toBe('live')
  const other = await context.newPage()
  await other.goto(new URL('/', page.url()).href)
  await other.click('text=Log out')
  await expect.poll(connection).toBe('logged out')
  await other.goto(await issueLogin())
  await other.click('button')
  await expect.poll(connection).toBe('live')
  expect(problems).toEqual([])
})

it.each(['held back', 'refused'])(
  'a page whose stream is %s asks every five seconds, until it arrives again',
  async (how) => {
    const stage = await openStage()
    const { browser: another, server } = stage
    try {
      const { page } = await openPage(another, `${server.address}/runs/x/steps`)
      const connection = (): Promise<string> => page.innerText('.connection')
      await expect.poll(() => server.streams()).toBe(1)
      server.send('beat', {})
      await expect.poll(connection).toBe('live')
      const shown = { ...viewOf(1), head: { ...viewOf(1).head, status: 'paused' } }
      server.documents.set(`/api/v1/runs/${viewOf(1).run_id}/view`, () => shown)
      if (how === 'refused') server.refuseStreams(true)

      await expect.poll(connection).toBe('every 5 s')
      expect(await page.innerText('.stand')).toBe('paused')
      server.refuseStreams(false)
      await expect.poll(() => server.streams()).toBe(1)
      server.send('beat', {})
      await expect.poll(connection).toBe('live')
    } finally {
      await stage.close()
    }
  },
)
