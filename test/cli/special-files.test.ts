import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { opsbook } from './support/opsbook.ts'

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
])('%j waits for no pipe: code %i, %s', async (line, code, said) => {
  const ended = await opsbook(line, { folder })
  expect(ended.stdout + ended.stderr).toContain(said)
  expect(ended.code).toBe(code)
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
