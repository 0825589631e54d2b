/** A `catch` fails itself: the report and the documents keep the failure that it handled. */
import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const canary = 'CAUGHTCANARY-77'
const runbook = `apiVersion: opsbook/v1
name: caught
inputs: { type: object, properties: { token: { type: string, writeOnly: true, default: ${canary} } } }
steps:
  - id: first
    uses: core/assert
    with: { that: ["\${{ inputs.token == '' }}"], message: "first with \${{ inputs.token }}" }
    catch:
      - errors: [all]
        steps:
          - { id: repair, uses: core/assert, with: { that: ["\${{ inputs.token == '' }}"], message: repair failed } }
`

test('both failures are in the report, in show and in JSON', async () => {
  const folder = await newFolder({ 'caught.yaml': runbook })
  const command = (...words: readonly string[]) => opsbook([...words, '--data-dir', 'data'], { folder })
  const run = await command('run', 'caught.yaml')
  expect(run.code).toBe(1)
  const shown = await command('show', 'latest')
  for (const { stdout } of [run, shown]) {
    expect(stdout).toMatch(/repair: AssertionFailed {2}repair failed/)
    expect(stdout).toMatch(/caught +first: AssertionFailed {2}first with \(masked\)/)
  }
  const json = await command('show', 'latest', '-o', 'json')
  expect(JSON.parse(json.stdout)).toMatchObject({
    error: {
      message: 'repair failed',
      cause: { code: 'AssertionFailed', message: 'first with (masked)', path: 'first' },
    },
  })
  const logs = await command('logs', 'latest', '-o', 'ndjson')
  expect(run.stdout + run.stderr + shown.stdout + json.stdout + logs.stdout).not.toContain(canary)
})
