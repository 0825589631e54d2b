import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newFolder, opsbook, untilAsked } from '../../cli/support/opsbook.ts'
import { requireBuild, start } from '../../cli/support/process.ts'
import { addressOf } from '../../console/support/serve-console.ts'
import { logIn, openPage } from './open-page.ts'
import { viewOf } from './sample-run.ts'
import { openStage, type Stage } from './stage.ts'

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

let stage: Stage

beforeAll(async () => {
  requireBuild()
  stage = await openStage()
}, 300_000)
afterAll(() => stage?.close())

it('a page shows what was while serve is away, and continues with the serve after it', async () => {
  const folder = await newFolder({ 'release.yaml': runbook })
  const data = ['--data-dir', 'data']
  const serve = async (host: string) => {
    await writeFile(join(folder, 'opsbook.yaml'), `console: { listen: "${host}" }\n`)
    const serving = start(['serve', '--sandbox', '--listen', '127.0.0.1:0', ...data], {}, folder)
    await serving.until('stdout', 'serve ready')
    return serving
  }
  const issueLogin = async (): Promise<string> => (await addressOf({ folder })).login
  const approve = (item: number) => opsbook(['approve', 'latest', `hosts[${item}]/ok`, ...data], { folder })
  const { ended } = await untilAsked(['run', 'release.yaml', ...data], { folder }, 2)
  const first = await serve('127.0.0.1:0')
  const { page, problems, go } = await logIn(stage.browser, await issueLogin())
  await go('nav >> text=Runs')
  await go('.runs >> text=release')
  const connection = (): Promise<string> => page.innerText('.connection')
  const statusOf = (item: string): Promise<string> => page.innerText(`tr:has-text("${item}") .word`)
  await expect.poll(connection).toBe('live')
  expect(await statusOf('web-01')).toBe('running')

  first.child.kill('SIGKILL')
  await first.ended
  await expect.poll(() => page.innerText('.banner')).toMatch(/^Disconnected, showing \d{4}-.* UTC\. /)
  await approve(0)
  expect(await page.innerText('h1')).toBe('Release the shop')
  expect(await statusOf('web-01')).toBe('running')

  await serve(new URL(page.url()).host)
  await expect.poll(connection).toBe('live')
  await expect.poll(() => statusOf('web-01')).toBe('succeeded')
  // The forms of the page that was open are those of its session still.
  await page.click('button:text-is("Pause")')
  await page.click('button:text-is("Continue")')
  await approve(1)
  await expect.poll(() => page.innerText('.stand')).toBe('succeeded')
  expect((await ended).code).toBe(0)

  await go('nav >> text=Inbox')
  await expect.poll(connection).toBe('live')
  const other = await page.context().newPage()
  await other.goto(new URL('/', page.url()).href)
  await other.click('text=Log out')
  await expect.poll(() => page.innerText('.banner')).toContain('Logged out, showing ')
  await other.goto(await issueLogin())
  await other.click('main button')
  await expect.poll(connection).toBe('live')
  // While serve is away, the browser says so of each request.
  expect(problems.filter((problem) => !problem.includes('ERR_'))).toEqual([])
})

it.each(['held back', 'refused'])(
  'a page whose stream is %s asks every five seconds, until it arrives again',
  async (how) => {
    const { browser, server } = stage
    await expect.poll(() => server.streams()).toBe(0)
    const { page } = await openPage(browser, `${server.address}/runs/x/steps`)
    const connection = (): Promise<string> => page.innerText('.connection')
    await expect.poll(() => server.streams()).toBe(1)
    server.send('beat', {})
    await expect.poll(connection).toBe('live')
    const shown = { ...viewOf(1), head: { ...viewOf(1).head, status: 'paused' } }
    server.documents.set(`/api/v1/runs/${viewOf(1).run_id}/view`, () => shown)
    if (how === 'refused') server.refuseStreams(true)

    await expect.poll(connection).toBe('live, every 5 s')
    expect(await page.innerText('.stand')).toBe('paused')
    server.refuseStreams(false)
    await expect.poll(() => server.streams()).toBe(1)
    server.send('beat', {})
    await expect.poll(connection).toBe('live')
  },
)
