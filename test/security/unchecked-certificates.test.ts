/** NODE_TLS_REJECT_UNAUTHORIZED=0 is in the environment: any server can pose as the service and take its keys. */
import { expect, it } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { startServing } from './support/serve-in-process.ts'

const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
const runbook = `apiVersion: opsbook/v1
name: a
steps: [{ id: a, uses: core/log, with: { message: hi } }]
`
const said = 'certificates are not checked'

it('doctor fails', async () => {
  const { stdout } = await opsbook(['doctor', '--sandbox', '--output', 'json'], { env })
  const { checks, ok } = JSON.parse(stdout) as { checks: { name: string }[]; ok: boolean }
  expect(ok).toBe(false)
  expect(checks.find(({ name }) => name === 'certificates')).toMatchObject({ status: 'fail' })
})

it('each command says it in one line', async () => {
  const folder = await newFolder({ 'a.yaml': runbook })
  const words = ['run', 'a.yaml', '--sandbox', '--data-dir', 'data']
  const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line.includes(said))
  expect(linesOf((await opsbook(words, { folder, env })).stderr)).toHaveLength(1)
  expect(linesOf((await opsbook(words, { folder })).stderr)).toEqual([])
  for (const name of ['start', 'resume', 'logs', 'show', 'call', 'cancel'])
    expect(linesOf((await opsbook([name, 'latest'], { folder, env })).stderr), name).toHaveLength(1)
  const serving = await startServing(['a.yaml', '--sandbox', '--data-dir', 'data'], { folder, env })
  expect(linesOf(serving.text())).toHaveLength(1)
})
