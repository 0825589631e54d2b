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

test.each([
  {
    what: 'an unknown action',
    files: { 'broken.yaml': local.replace('core/set', 'no/such').replace('name: local', 'name: broken') },
    said: /^"opsbook serve" does not start: \S*broken\.yaml is not a valid runbook: \S*broken\.yaml:3:\d+ error \S+ .*no\/such/,
    hint: /^"opsbook validate \S*broken\.yaml" shows all findings$/,
  },
  {
    what: 'no map',
    files: { 'empty.yaml': '[]\n' },
    said: /empty\.yaml is not a valid runbook: \S*empty\.yaml\S* error /,
    hint: /^"opsbook validate \S*empty\.yaml"/,
  },
  {
    what: 'one name twice',
    files: { 'other.yaml': local },
    said: /are both called local$/,
    hint: /different name/,
  },
])('a runbook that keeps serve from starting fails: $what', async ({ files, said, hint }) => {
  const folder = await newFolder()
  await mkdir(join(folder, 'runbooks'))
  const check = async () => {
    const { code, stdout } = await opsbook(['doctor', '--sandbox', '-o', 'json'], { folder })
    const { checks } = JSON.parse(stdout) as { checks: readonly { name: string }[] }
    return { code, checks: checks.filter(({ name }) => name === 'runbooks') }
  }
  await writeFile(join(folder, 'runbooks/test.yaml'), local)
  expect(await check()).toEqual({
    code: 0,
    checks: [{ name: 'runbooks', status: 'ok', message: '1 runbook' }],
  })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'runbooks', name), text)
  expect(await check()).toEqual({
    code: 5,
    checks: [
      {
        name: 'runbooks',
        status: 'fail',
        message: expect.stringMatching(said),
        hints: [expect.stringMatching(hint)],
      },
    ],
  })
  const serve = await opsbook(['serve', '--sandbox', '--listen', '127.0.0.1:0'], { folder })
  expect(serve.code).toBe(2)
})
