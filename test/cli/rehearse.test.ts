import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const look = `apiVersion: opsbook/v1
name: look
inputs:
  type: object
  required: [hosts]
  properties:
    hosts: { type: array, items: { type: string } }
    key: { type: string, writeOnly: true, default: "geheimnis" }
steps:
  - id: checks
    for-each: { items: "\${{ inputs.hosts }}", as: host, tolerate: all }
    uses: monit/tools/invoke
    with: { target_locator: "\${{ host }}", tools: [{ tool: os.overview }] }
  - { id: ask, uses: core/approve, with: { message: "Register it?" } }
  - { id: notes, uses: core/write, save-as: notes.txt, with: { content: "key \${{ inputs.key }}" } }
outputs: { failed: "\${{ size(steps.checks.outputs.failures) }}" }
`

it('rehearses recorded runs of the embedded engine with a changed runbook', async () => {
  const folder = await newFolder({ 'look.yaml': look })
  const env = { OPSBOOK_DATA_DIR: join(folder, 'data') }
  for (const hosts of ['[web-01, down-01]', '[disk-01]']) {
    const words = ['run', 'look.yaml', '--sandbox', '--yes', '--input', `hosts=${hosts}`]
    expect(await opsbook(words, { folder, env })).toMatchObject({ code: 0 })
  }
  const rehearse = async (text: string, ...more: readonly string[]) => {
    await writeFile(join(folder, 'look.yaml'), text)
    return opsbook(['rehearse', 'look.yaml', ...more], { folder, env })
  }
  const same = await rehearse(look)
  expect(same).toMatchObject({ code: 0, stderr: '' })
  expect(same.stdout).toMatch(/^look: of 2 runs since .*, 2 take the same way\n$/)

  const strict = await rehearse(look.replace('tolerate: all', 'max-parallel: 2'), '--strict')
  expect(strict.code).toBe(1)
  expect(strict.stdout).toMatch(/1 takes the same way, 1 would be different/)
  expect(strict.stdout).toContain('✖ 1 would end as failed with TooManyFailures at checks (was succeeded)')

  const github = await rehearse(look.replace('Register it?', 'Really?'), '--output', 'github')
  expect(github.stdout).toContain(
    '::warning file=look.yaml,line=14,title=2 would ask something else at ask::run_',
  )
  const masked = await rehearse(look.replace('content: "key', 'content: "a key'), '--output', 'json')
  expect(masked.stdout).not.toContain('geheimnis')
  const { summary, runs } = JSON.parse(masked.stdout)
  expect(summary).toEqual({ runs: 2, same: 0, different: 2, open: 0, left_out: 0, not_ended: 0 })
  expect(runs[0]).toMatchObject({
    result: 'different',
    differences: [{ kind: 'write', step: 'notes', what: 'would call notes with other arguments' }],
    unknown: [],
  })
})

it('says what is wrong with a rehearsal', async () => {
  const other = look.replace('name: look', 'name: other')
  const folder = await newFolder({ 'look.yaml': look, 'other.yaml': other })
  const env = { OPSBOOK_DATA_DIR: join(folder, 'data') }
  const rehearse = async (...words: readonly string[]) => opsbook(['rehearse', ...words], { folder, env })
  expect(await rehearse('look.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no runs in'),
  })
  await opsbook(['run', 'look.yaml', '--sandbox', '--yes', '--input', 'hosts=[a]'], { folder, env })
  expect(await rehearse('other.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no run of other was started in that time'),
  })
  expect(await rehearse('other.yaml', '--runs', 'latest')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is a run of look, and not of other'),
  })
  expect(await rehearse('look.yaml', '--since', 'soon')).toMatchObject({ code: 2 })
  await writeFile(join(folder, 'look.yaml'), look.replace('steps.checks', 'steps.check'))
  const wrong = await rehearse('look.yaml')
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "checks"?') })
})
