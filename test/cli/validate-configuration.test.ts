import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { newFolder, opsbook } from './support/opsbook.ts'

const files = {
  'opsbook.yaml':
    'notify:\n  - { on: [run_fialed], url: env:CHAT }\n  - { on: [run_failed], url: "https://chat/T0KEN" }\n',
  'good.yaml': 'apiVersion: opsbook/v1\nname: good\nsteps: [{ id: a, uses: core/set, with: { a: 1 } }]\n',
}

test.each([['good.yaml'], ['.'], ['opsbook.yaml']])(
  'validate finds what is wrong with notify, wherever it is asked about: %s',
  async (path) => {
    const folder = await newFolder(files)
    const json = await opsbook(['validate', path, '-o', 'json'], { folder })
    const text = await opsbook(['validate', path], { folder })
    expect([json.code, text.code]).toEqual([2, 2])
    expect(text.stdout).toContain('opsbook.yaml:2:12 error WRONG_VALUE  notify[0].on[0] must be one of')
    expect(text.stdout).toContain('opsbook.yaml:3:30 error')
    expect(text.stdout).toContain('hint: write url: env:NAME')
    expect(json.stdout).toContain('WRONG_VALUE')
    expect(json.stdout + text.stdout).not.toContain('T0KEN')
  },
)

test('a sound opsbook.yaml is no runbook, and has no findings', async () => {
  const folder = await newFolder({ ...files, 'opsbook.yaml': 'data-dir: data\n' })
  const { code, stdout } = await opsbook(['validate', 'opsbook.yaml'], { folder })
  expect({ code, stdout }).toEqual({ code: 0, stdout: '1 file checked: no findings\n' })
})

test.each(['github.com', '"https://"'])(
  'the address of a connection says how it is reached: %s',
  async (address) => {
    const connections = `connections:\n  github: { type: http, base-url: ${address} }\n`
    const folder = await newFolder({ ...files, 'opsbook.yaml': connections })
    const { code, stderr } = await opsbook(['validate', 'good.yaml'], { folder })
    expect(code).toBe(2)
    expect(stderr).toContain(
      'opsbook.yaml:2:35: "base-url" must be an address such as https://api.example.com, or its place: env:NAME',
    )
  },
)

const cases = parse(readFileSync(new URL('../cases/configurations.yaml', import.meta.url), 'utf8'))

test.each(cases as readonly { readonly yaml: string; readonly says: string }[])(
  '$yaml: $says',
  async ({ yaml, says }) => {
    const folder = await newFolder({ 'opsbook.yaml': yaml })
    const { code, stdout, stderr } = await opsbook(['validate', 'opsbook.yaml'], { folder })
    expect([code, stdout + stderr]).toEqual([2, expect.stringContaining(says)])
    expect(stdout + stderr).not.toContain('sesame')
  },
)
