import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { enginesOfTest, runOnce } from './open-engines.ts'

const runbook = `apiVersion: opsbook/v1
name: one
steps:
  - { id: a, uses: core/command, with: { script: "echo CANARY-4b1c9e0d" }, sensitive: [stdout] }
  - { id: b, uses: core/command, with: { script: "echo $WORD", env: { WORD: "\${{ steps.a.outputs.stdout }}" } } }
  - { id: c, uses: core/write, save-as: c.txt, with: { content: "\${{ size(steps.b.outputs.stdout) }}" } }
outputs: { bytes: "\${{ steps.c.outputs.bytes }}" }
`
const longer = runbook.replace(
  'steps.a.outputs.stdout }}',
  `'${'x'.repeat(285)}' + steps.a.outputs.stdout }}`,
)

it('rehearses the same from the journal of each engine, and shows nothing that is masked', async () => {
  const engines = await enginesOfTest({ 'one.yaml': runbook }, { more: 'commands: { local: true }\n' })
  const both = { embedded: engines.embedded, temporal: engines.temporal }
  const ids = { embedded: await runOnce(both.embedded), temporal: await runOnce(both.temporal) }
  const rehearse = async (engine: keyof typeof both, text: string): Promise<unknown> => {
    await writeFile(join(engines.folder, 'one.yaml'), text)
    const { code, stdout, stderr } = await both[engine]([
      'rehearse',
      'one.yaml',
      '--runs',
      ids[engine],
      '-o',
      'json',
    ])
    expect(code, stderr).toBe(0)
    // A value that is cut in the middle is masked, too.
    expect(stdout).not.toContain('CANA')
    return JSON.parse(stdout, (key, value) => (['run_id', 'started_at'].includes(key) ? undefined : value))
  }
  expect(await rehearse('embedded', runbook)).toMatchObject({ summary: { runs: 1, same: 1 } })
  expect(await rehearse('temporal', runbook)).toMatchObject({ summary: { runs: 1, same: 1 } })
  const embedded = await rehearse('embedded', longer)
  expect(embedded).toMatchObject({
    runs: [{ result: 'different', differences: [{ what: 'would call b with other arguments' }] }],
  })
  expect(await rehearse('temporal', longer)).toEqual(embedded)

  const asking =
    'apiVersion: opsbook/v1\nname: two\nsteps: [{ id: ask, uses: core/approve, with: { message: go? } }]\n'
  await writeFile(join(engines.folder, 'two.yaml'), asking)
  const id = `cancelled-${process.pid}`
  for (const [engine, run] of Object.entries(both)) {
    const asked = run(['run', 'two.yaml', '--id', id])
    await expect.poll(async () => (await run(['show', id])).stdout).toContain('go?')
    expect(await run(['cancel', id]), engine).toMatchObject({ code: 0 })
    await asked
    const { stdout, stderr } = await run(['rehearse', 'two.yaml', '--runs', id, '-o', 'json'])
    expect(JSON.parse(stdout || '{}').summary, stderr).toMatchObject({ runs: 1, same: 1, left_out: 0 })
  }
})
