import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createArtifacts } from '../../../src/engine/embedded/artifacts.ts'

const folder = mkdtempSync(join(tmpdir(), 'opsbook-artifacts-'))
const artifacts = createArtifacts(folder)
afterAll(() => rmSync(folder, { recursive: true }))

it.each(['report.md', 'hosts/web-01/session.ndjson', '.hidden', 'ünïcode.txt'])('takes %s', async (name) => {
  const file = await artifacts.fileFor(name)
  expect(file).toBe(join(folder, name))
  expect(statSync(dirname(file)).isDirectory()).toBe(true)
})

it.each([
  '../out.txt',
  'a/../../out.txt',
  'a/..',
  '/etc/passwd',
  '\\\\server\\share',
  'C:\\x',
  'a\\..\\b',
  '',
  'a//b',
  './a',
  'nul',
  'aux.txt',
  'COM1',
  'a/con.log/b',
  'x'.repeat(300),
  'a\0b',
  'a\nb',
  'what?',
  'end.',
  'end ',
])('refuses %j', async (name) => {
  await expect(artifacts.fileFor(name)).rejects.toMatchObject({ code: 'InvalidInput', notSent: true })
})

it('says where a folder cannot be made', async () => {
  await expect(createArtifacts('/dev/null/x').fileFor('report.md')).rejects.toMatchObject({
    code: 'FileNotWritten',
    message: expect.stringContaining('/dev/null/x'),
  })
})
