/** The installed package in a browser: what npm packs has the console with all its files. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { foreignEnvironment, mustRun, packOpsbook, quiet } from '../../support/packed.ts'
import { openBrowser } from '../open-browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'opsbook-installed-'))
const opsbook = join(folder, 'prefix/bin/opsbook')

const release = `apiVersion: opsbook/v1
name: release
title: Release the shop
inputs: { type: object, required: [region], properties: { region: { type: string, enum: [north, south] } } }
steps:
  - { id: ok, uses: core/approve, with: { message: "Release to \${{ inputs.region }}?" } }
  - { id: tell, uses: core/log, with: { message: "\${{ inputs.region }} has it" } }
`

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
  mustRun(
    'npm',
    ['install', '--global', '--prefix', join(folder, 'prefix'), packOpsbook(folder), ...quiet],
    folder,
  )
}, 480_000)
afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true, force: true })
}, 240_000)

/** Starts `serve` in the folder, and resolves once it is ready. */
function serve(words: readonly string[]): Promise<void> {
  const child = spawn(opsbook, ['serve', '--listen', '127.0.0.1:0', ...words], {
    cwd: folder,
    env: foreignEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return new Promise((resolve, reject) => {
    let written = ''
    const take = (chunk: Buffer): void => {
      written += String(chunk)
      if (written.includes('serve ready')) resolve()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    ended.then(() => reject(new Error(written)))
  })
}

it('a person starts, approves and sees the end of a run in a browser', async () => {
  writeFileSync(join(folder, 'opsbook.yaml'), 'console: { listen: "127.0.0.1:0" }\n')
  mkdirSync(join(folder, 'runbooks'))
  writeFileSync(join(folder, 'runbooks/release.yaml'), release)
  const data = ['--data-dir', 'data']
  await serve(['--sandbox', ...data])
  const { login } = JSON.parse(mustRun(opsbook, ['console', ...data, '--output', 'json'], folder))
  const page = await (await browser.newContext()).newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${page.url()} ${message.text()}`)
  })
  const standsAs = (status: string) => expect.poll(() => page.innerText('.stand')).toBe(status)
  await page.goto(login)
  await page.click('button')
  await page.click('nav >> text=Runbooks')
  await page.click('main >> text=release')
  await page.click('text=Start…')
  await page.selectOption('label:has-text("region") select', { label: 'south' })
  await page.click('text=Show the plan')
  await page.click('text=Start this plan')
  await page.waitForURL(/\/runs\/run_/)
  await standsAs('waiting')
  await page.click('button:text-is("Approve")')
  await standsAs('succeeded')
  // The scripts and styles of the package are there, too.
  expect(await page.locator('html[data-ready]').count()).toBe(1)
  expect(await page.evaluate('document.styleSheets.length')).toBeGreaterThan(0)
  expect(problems).toEqual([])
})
