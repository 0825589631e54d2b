import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { newFolder } from '../cli/support/opsbook.ts'
import { requireBuild, root } from '../cli/support/process.ts'

beforeAll(requireBuild)

it('npm start ends with four commands to try next, and each of them works', async ({ onTestFinished }) => {
  const home = await newFolder()
  const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home }
  const run = (words: readonly string[]) =>
    spawnSync(process.execPath, words, { cwd: root, env, encoding: 'utf8' })
  const { status, stderr } = run([join(root, 'scripts/start.mjs')])
  expect(status, stderr).toBe(0)
  const [, next = ''] = stderr.split('Try next:\n')
  // What a command does stands behind it, as a comment: the whole line can be pasted.
  const commands = next
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}# /)[0] ?? '')
  expect(commands).toHaveLength(4)
  for (const command of commands) {
    const [node, ...words] = command.split(' ')
    expect(node).toBe('node')
    if (words.includes('console')) continue
    const ended = run(words)
    expect(ended.status, `${command}\n${ended.stderr}`).toBe(0)
  }
  const [, ...words] = commands.find((command) => command.includes(' console '))?.split(' ') ?? []
  // Another console may listen at the usual address.
  const console = spawn(process.execPath, [...words, '--listen', '127.0.0.1:0', '--output', 'json'], {
    cwd: root,
    env,
  })
  onTestFinished(() => void console.kill())
  let said = ''
  while (!said.includes('}')) said += String(await once(console.stdout, 'data'))
  const page = await fetch(JSON.parse(said).login)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Opsbook')])
})
