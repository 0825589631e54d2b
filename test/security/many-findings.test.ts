/** A file with a mistake in each of its lines makes a report of many megabytes, which takes long to write and to read. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'

const count = 14_000
const many = (line: (index: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('')
const head = 'apiVersion: opsbook/v1\nname: a\nsteps: [{ id: a, uses: core/log, with: { message: hi } }]\n'
const runbook = head + many((at) => `k${at}: ${at}\n`)
const left = `${count - 200} more findings are left out`

it.each([
  ['validate', 'a.yaml'],
  ['validate', 'a.yaml', '--output', 'json'],
  ['validate', 'a.yaml', '--output', 'sarif'],
  ['validate', 'a.yaml', '--output', 'github'],
  ['plan', 'a.yaml'],
  ['plan', 'a.yaml', '--output', 'json'],
  ['test', '.'],
  ['test', '.', '--output', 'junit'],
])('%s %s %s %s shows the first ones, and says how many there are', async (...words) => {
  const files = {
    'a.yaml': runbook,
    'a.test.yaml': 'runbook: ./a.yaml\ntests: [{ name: a, expect: { status: succeeded } }]\n',
  }
  const { code, stdout, stderr } = await opsbook(words, { folder: await newFolder(files) })
  const all = stdout + stderr
  expect(all).toContain('"k199"'.replaceAll('"', ''))
  expect(all).not.toContain('k300')
  expect(all).toContain(left)
  expect(code).toBe(2)
})

describe('a test file', () => {
  it('too', async () => {
    const text = `runbook: ./a.yaml\ntests: [{ name: a, expect: { status: succeeded } }]\n${many((at) => `k${at}: 1\n`)}`
    const folder = await newFolder({ 'a.yaml': head, 'a.test.yaml': text })
    const { code, stdout } = await opsbook(['test', join(folder, 'a.test.yaml')], { folder })
    expect(stdout).toContain(left)
    expect(code).toBe(2)
  })
})
