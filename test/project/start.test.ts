import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { newFolder } from '../cli/support/opsbook.ts'
import { buildFirst, root } from '../cli/support/process.ts'

beforeAll(buildFirst, 300_000)

it('npm start ends with three commands to try next, and each of them works', async () => {
  const home = await newFolder()
  const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home }
  const run = (words: readonly string[]) =>
    spawnSync(process.execPath, words, { cwd: root, env, encoding: 'utf8' })
  const { status, stderr } = run([join(root, 'scripts/start.mjs')])
  expect(status, stderr).toBe(0)
  const [, next = ''] = stderr.split('Try next:\n')
  // What a command does stands behind it.
  const commands = next
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/)[0] ?? '')
  expect(commands).toHaveLength(3)
  for (const command of commands) {
    const [node, ...words] = command.split(' ')
    expect(node).toBe('node')
    const ended = run(words)
    expect(ended.status, `${command}\n${ended.stderr}`).toBe(0)
  }
})
