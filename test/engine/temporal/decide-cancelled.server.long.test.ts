/** A run is cancelled while a create is in flight whose answer is lost: one decision ends it as cancelled, on Temporal too. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
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
  const { url, asked, drop } = await startHolding()
  const id = (await engines.temporal(['start', 'lost.yaml', '-i', `url=${url}`])).stdout.trim()
  await asked
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

/** Accepts one request, and does not answer it until the test cuts the connection. */
async function startHolding(): Promise<{ url: string; asked: Promise<void>; drop: () => void }> {
  let hold = (): void => {}
  const asked = new Promise<void>((resolve) => {
    hold = resolve
  })
  const server = createServer(() => hold())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, asked, drop: () => server.closeAllConnections() }
}
