/** The installed package in a browser: what npm packs has the console with all its files. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { newFolder } from '../../cli/support/opsbook.ts'
import { consoleHere } from '../../console/support/serve-console.ts'
import { foreignEnvironment, mustRun, packOpsbook, quiet } from '../../support/packed.ts'
import { openBrowser } from '../open-browser.ts'
import { logIn } from './open-page.ts'

/** Starts `serve`, and resolves once it is ready. */
function serve(program: string, words: readonly string[], folder: string): Promise<void> {
  const child = spawn(program, ['serve', '--listen', '127.0.0.1:0', ...words], {
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
    child.on('error', reject)
    ended.then(() => reject(new Error(written)))
  })
}

// All of it is in the test, and nothing in a hook: a second try installs again.
it('a person sees the pages of an installed console, with their scripts and styles', async () => {
  const folder = await newFolder({ 'opsbook.yaml': consoleHere })
  const prefix = join(folder, 'prefix')
  mustRun('npm', ['install', '--global', '--prefix', prefix, packOpsbook(folder), ...quiet], folder)
  const opsbook = join(prefix, 'bin/opsbook')
  const data = ['--data-dir', 'data']
  await serve(opsbook, ['--sandbox', ...data], folder)
  const { login } = JSON.parse(mustRun(opsbook, ['console', ...data, '--output', 'json'], folder))
  const browser = await openBrowser()
  onTestFinished(() => browser.close())
  // Each page says that it is ready once its scripts have run.
  const { page, problems, go } = await logIn(browser, login)
  for (const word of ['Inbox', 'Runs', 'Runbooks', 'Events', 'Schedules', 'System', 'Now']) {
    await go(`nav >> text=${word}`)
    expect(await page.innerText('main h1')).toContain(word)
    expect(await page.evaluate('document.styleSheets[0].cssRules.length')).toBeGreaterThan(0)
  }
  expect(problems).toEqual([])
}, 600_000)
