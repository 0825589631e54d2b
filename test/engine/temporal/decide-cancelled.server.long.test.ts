/** A run is cancelled while a create is in flight whose answer is lost: one decision ends it as cancelled, on Temporal too. */
import { expect, test } from 'vitest'
import { startStandIn } from '../../api/stand-in.ts'
import { enginesOfTest } from './commands/open-engines.ts'

const runbook = `apiVersion: opsbook/v1
name: lost
inputs: { type: object, required: [url], properties: { url: { type: string } } }
steps:
  - { id: make, uses: core/http, with: { method: POST, url: "\${{ inputs.url }}" } }
  - { id: say, uses: core/log, with: { message: made } }
finally:
  - { id: bye, uses: core/log, with: { message: bye } }
`

test.each([
  ['succeeded', ['--outputs', '{"status": 200}']],
  ['failed', []],
] as const)('a cancelled run ends as cancelled once decided: %s', async (decision, more) => {
  const engines = await enginesOfTest({ 'lost.yaml': runbook })
  let drop = (): void => {}
  const { baseUrl: url, received } = await startStandIn((_, response) => {
    drop = () => void response.destroy()
  })
  const id = (await engines.temporal(['start', 'lost.yaml', '-i', `url=${url}`])).stdout.trim()
  await expect.poll(() => received).toHaveLength(1)
  expect((await engines.temporal(['cancel', id])).code).toBe(0)
  drop()
  expect((await engines.temporal(['watch', id])).code).toBe(4)
  const retry = await engines.temporal(['decide', id, 'make', '--as', 'retry'])
  expect(retry).toMatchObject({ code: 2, stderr: expect.stringContaining('is being cancelled') })
  const decided = await engines.temporal(['decide', id, 'make', '--as', decision, ...more])
  expect(decided.code, decided.stderr).toBe(3)
  expect(decided.stderr).not.toContain('say: made')
  expect(decided.stderr).toContain('bye: bye')
  expect((await engines.temporal(['show', id, '-o', 'json'])).stdout).toContain('"status": "cancelled"')
})
