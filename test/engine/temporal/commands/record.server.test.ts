import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { enginesOfTest, runOnce } from './open-engines.ts'

const runbook = `apiVersion: opsbook/v1
name: one
steps:
  - { id: a, uses: core/command, with: { script: "echo CANARY-4b1c9e0d; echo seen >&2" }, sensitive: [stdout] }
  - { id: b, uses: core/command, with: { script: "echo $WORD", env: { WORD: "\${{ steps.a.outputs.stdout }}" } } }
`

it('records the same from the journal of each engine', async () => {
  const engines = await enginesOfTest({ 'one.yaml': runbook }, { more: 'commands: { local: true }\n' })
  const record = async (run: typeof engines.temporal): Promise<unknown> => {
    const recorded = await run(['test', 'record', await runOnce(run), '--as', 'past', '--replace'])
    expect(recorded, recorded.stderr).toMatchObject({ code: 0 })
    const text = await readFile(join(engines.folder, 'recordings/past.json'), 'utf8')
    expect(text).not.toContain('CANARY')
    return JSON.parse(text, (key, value) => (key === 'started_at' || key === 'takes_ms' ? undefined : value))
  }
  const embedded = await record(engines.embedded)
  expect(embedded).toMatchObject({
    calls: [
      { output: { stdout: 'sensitive-1', stderr: 'seen' } },
      { input: { env: { WORD: 'sensitive-1' } } },
    ],
  })
  expect(await record(engines.temporal)).toEqual(embedded)
})
