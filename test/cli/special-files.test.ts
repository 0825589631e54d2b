import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { refuseSpecial, refuseToReplaceSpecial } from '../../src/project/files/index.ts'
import { newFolder, opsbook } from './support/opsbook.ts'

const folder = mkdtempSync(join(tmpdir(), 'opsbook-special-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pipe = (name: string): void => void execFileSync('mkfifo', [join(folder, name)])
const steps = 'steps: [{ id: a, uses: core/log, with: { message: hi } }]\n'
writeFileSync(join(folder, 'ok.yaml'), `apiVersion: opsbook/v1\nname: ok\n${steps}`)
writeFileSync(
  join(folder, 'parent.yaml'),
  'apiVersion: opsbook/v1\nname: parent\nsteps: [{ id: a, uses: core/run, with: { runbook: ./pipe.yaml } }]\n',
)
pipe('pipe.yaml')
pipe('pipe.test.yaml')
symlinkSync('pipe.yaml', join(folder, 'link.yaml'))
mkdirSync(join(folder, 'begun'))
pipe('begun/.gitignore')
mkdirSync(join(folder, 'configured'))
pipe('configured/opsbook.yaml')
writeFileSync(join(folder, 'configured/ok.yaml'), `apiVersion: opsbook/v1\nname: ok\n${steps}`)

test.skipIf(process.platform === 'win32').each([
  [['validate', 'pipe.yaml'], 2, 'pipe.yaml error FILE_UNREADABLE  it is a named pipe, not a file'],
  [['validate', 'link.yaml'], 2, 'it is a named pipe, not a file'],
  [['validate', '/dev/zero'], 2, 'it is a device, not a file'],
  [['validate', 'parent.yaml'], 2, 'RUNBOOK_NOT_FOUND'],
  [['run', 'pipe.yaml', '--sandbox'], 2, 'pipe.yaml is a named pipe, not a file'],
  [['graph', 'link.yaml'], 2, 'link.yaml is a named pipe, not a file'],
  [['graph', '--write', 'pipe.yaml'], 2, 'cannot be read: it is a named pipe'],
  [['plan', 'ok.yaml', '--inputs-file', 'pipe.yaml'], 2, 'cannot be read: it is a named pipe'],
  [['test', 'pipe.test.yaml'], 2, 'pipe.test.yaml: it is a named pipe, not a file'],
  [['events', 'test', 'ok.yaml', '--event', 'pipe.yaml'], 2, 'cannot be read: it is a named pipe'],
  [['events', 'send', '--event', 'no.json'], 2, 'no.json cannot be read: there is no such file'],
  [['events', 'send', '--event', '.'], 2, '. cannot be read: it is a folder'],
  [['schema', '--file', 'pipe.yaml'], 5, 'pipe.yaml cannot be written: it is a named pipe'],
  [['sandbox', '--port', '0', '--state', 'pipe.yaml'], 5, 'pipe.yaml is a named pipe'],
  [['init', '/proc/none'], 5, 'cannot be written: there is no such folder'],
  [['init', ''], 2, 'the name of the folder is empty: is a variable not set?'],
  [
    ['tokens', 'create', 'ada', '--role', 'viewer', '--expires', '1d', '--data-dir', '/proc/none'],
    5,
    'cannot use the data directory',
  ],
  [['init', 'begun'], 5, 'begun/.gitignore cannot be written: it is a named pipe'],
])('%j waits for no pipe: code %i, %s', async (line, code, said) => {
  const ended = await opsbook(line, { folder })
  expect(ended.stdout + ended.stderr).toContain(said)
  expect(ended.code).toBe(code)
})

test.skipIf(process.platform === 'win32')('a file is never written in place of /dev/null', () => {
  expect(() => refuseToReplaceSpecial('/dev/null')).toThrow('is a device')
  expect(() => refuseSpecial('/dev/null')).not.toThrow()
})

test.skipIf(process.platform === 'win32')('init writes nothing where it would wait for a pipe', async () => {
  expect((await opsbook(['init', 'begun'], { folder })).code).toBe(5)
  expect(readdirSync(join(folder, 'begun'))).toEqual(['.gitignore'])
})

test.skipIf(process.platform === 'win32').each([
  ['actions: [./a.mjs]', 'the actions of ./a.mjs cannot be loaded: it is a named pipe, not a file'],
  [
    'apis: { a: { openapi: ./a.mjs, connection: b, operations: { c: { safety: read } } } }\nconnections: { b: { type: http, base-url: "https://b.example.com" } }',
    'it is a named pipe',
  ],
])('a file that %s names waits for no pipe', async (text, said) => {
  const named = await newFolder({ 'opsbook.yaml': text })
  execFileSync('mkfifo', [join(named, 'a.mjs')])
  const { code, stderr } = await opsbook(['actions'], { folder: named })
  expect(stderr).toContain(said)
  expect(code).toBe(2)
})

test.skipIf(process.platform === 'win32')('a configuration that is a pipe is refused', async () => {
  const configured = join(folder, 'configured')
  for (const line of [
    ['validate', 'opsbook.yaml'],
    ['plan', 'ok.yaml'],
  ]) {
    const { code, stderr } = await opsbook(line, { folder: configured })
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining('opsbook.yaml cannot be read (it is a named pipe)'),
    })
  }
})
