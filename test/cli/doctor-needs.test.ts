import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const local = 'apiVersion: opsbook/v1\nname: local\nsteps: [{ id: a, uses: core/set, with: { a: 1 } }]\n'
const calling = local.replace(
  '{ id: a, uses: core/set, with: { a: 1 } }',
  '{ id: a, uses: monit/tools/catalog, with: { target_locator: web-01 } }',
)

test.each([
  { runbook: local, status: 'warn', said: 'no runbook here needs it', code: 0 },
  { runbook: calling, status: 'fail', said: 'is configured', code: 5 },
])(
  'a connection that is missing counts where a runbook needs it: $status',
  async ({ runbook, status, said, code }) => {
    const folder = await newFolder({ 'opsbook.yaml': 'secrets: { chat: env:CHAT_TOKEN }\n' })
    await mkdir(join(folder, 'runbooks'))
    await writeFile(join(folder, 'runbooks/test.yaml'), runbook)
    const result = await opsbook(['doctor', '-o', 'json'], { folder })
    const checks = JSON.parse(result.stdout).checks as { name: string; status: string; message: string }[]
    const find = (name: string) => checks.find((check) => check.name === name)
    expect(find('connection')).toMatchObject({ status, message: expect.stringContaining(said) })
    expect(find('secrets')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('no runbook here needs it'),
    })
    expect(result.code).toBe(code)
  },
)

test('an invalid runbook may need anything', async () => {
  const folder = await newFolder({
    'opsbook.yaml': 'secrets: { chat: env:CHAT_TOKEN }\n',
    'runbooks/test.yaml': local,
    'runbooks/broken.yaml': local.replace('core/set', 'no/such'),
  })
  const { code, stdout } = await opsbook(['doctor'], { folder })
  expect(code).toBe(5)
  expect(stdout).toMatch(/fail +secrets +/)
  expect(stdout).toMatch(/fail +connection +/)
  expect(stdout).not.toContain('no runbook here needs it')
})
