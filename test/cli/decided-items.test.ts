/** Two items of a loop have an unknown outcome, and a person decides them one after the other. */
import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'
import { startService } from './support/service.ts'

const runbook = `apiVersion: opsbook/v1
name: many
steps:
  - id: make
    for-each: { items: [alpha, beta], as: name, tolerate: all }
    uses: rum/application/create
    with: { application_name: "\${{ name }}", type: browser, team_id: 1 }
`

test('show prints commands for the calls that still need a decision, and for no other', async () => {
  const service = await startService()
  const folder = await newFolder({ 'many.yaml': runbook })
  const command = (...words: readonly string[]) =>
    opsbook([...words, '--data-dir', 'data'], { folder, env: service.env() })
  await service.fault({ operation: 'E2', times: 2, close_after: true })
  expect((await command('run', 'many.yaml')).code).toBe(4)
  const both = (await command('show', 'latest')).stdout
  expect(both).toMatch(/decide run_\w+ 'make\[0\]' --as failed/)
  expect(both).toMatch(/decide run_\w+ 'make\[1\]' --as failed/)
  await command('decide', 'latest', 'make[0]', '--as', 'failed', '--no-resume')
  const rest = (await command('show', 'latest')).stdout
  expect(rest).not.toMatch(/decide run_\w+ 'make\[0\]'/)
  expect(rest).toMatch(/decide run_\w+ 'make\[1\]' --as failed/)
})
