import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { rateLimiterType } from '../../../../src/engine/temporal/limits/messages.ts'
import { runTypeOf } from '../../../../src/engine/temporal/run-listing.ts'
import { workflowKindOf } from '../../../../src/engine/temporal/worker/replay-open-workflows.ts'
import { newFolder } from '../../../cli/support/opsbook.ts'
import { requireBuild, start } from '../../../cli/support/process.ts'
import { startOtherWorker } from '../support/other-worker.ts'
import { type Engines, enginesOfTest } from './open-engines.ts'

const ask = `apiVersion: opsbook/v1
name: ask
steps:
  - { id: look, uses: monit/tools/catalog, with: { target_locator: web-01 } }
  - { id: ask, uses: core/approve, with: { message: "go on?" } }
`
const open = (hasWorker: boolean): Promise<Engines> => enginesOfTest({ 'ask.yaml': ask }, { hasWorker })

async function begin({ temporal }: Engines): Promise<string> {
  const { code, stdout } = await temporal(['start', 'ask.yaml'])
  expect(code).toBe(0)
  onTestFinished(async () => void (await temporal(['cancel', stdout.trim()])))
  return stdout.trim()
}

/** The list of the server lags behind. */
async function untilChecked({ temporal }: Engines, code: number, said: RegExp): Promise<void> {
  const check = async (): Promise<object> => {
    const { stdout, code } = await temporal(['replay-check'])
    return { stdout, code }
  }
  await expect.poll(check).toEqual({ stdout: expect.stringMatching(said), code })
}

test('replay-check replays what is open', async () => {
  const engines = await open(true)
  expect(await engines.temporal(['replay-check'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^no workflow is open/),
  })
  const id = await begin(engines)
  await untilChecked(engines, 0, /^(\d+) of \1 open workflows can continue.* {2}runs: 1 of 1\n/s)
  const { stdout } = await engines.temporal(['replay-check', '-o', 'json'])
  const { kinds, workflows } = JSON.parse(stdout)
  expect(kinds).toContainEqual({ kind: 'runs', open: 1, fitting: 1 })
  expect(workflows).toContainEqual({ id, kind: 'runs' })
})

test('replay-check ends where no server answers', async () => {
  requireBuild()
  const folder = await newFolder({})
  const { ended } = start(['replay-check'], { TEMPORAL_ADDRESS: '127.0.0.1:1' }, folder)
  expect(await ended).toMatchObject({ code: 5, stderr: expect.stringContaining('TemporalUnavailable') })
})

test('replay-check names what this version could not continue', async () => {
  const engines = await open(false)
  await startOtherWorker(engines.taskQueue)
  const id = await begin(engines)
  const said = `^✖ ${id}: .*; it would stop the run\\n0 of 1 open workflows can continue.*\\n  runs: 0 of 1\\n`
  await untilChecked(engines, 1, new RegExp(said))
})

test('replay-check finds the limiter that this version could not continue, and names what that would stop', async () => {
  const engines = await open(false)
  await startOtherWorker(engines.taskQueue)
  const { taskQueue } = engines
  const client = await engines.client()
  const workflowId = `limiter-of-${taskQueue}`
  // What this version cannot read.
  const args = [{ count: {} }]
  const handle = await client.workflow.start(rateLimiterType, { workflowId, taskQueue, args })
  onTestFinished(async () => void (await handle.terminate()))
  const said = `^✖ ${workflowId}: .*; it would stop every call of the operations that it counts\\n0 of 1 .*\\n  rate limiters: 0 of 1\\n`
  await untilChecked(engines, 1, new RegExp(said))
})

test('of every workflow that workers register it is known what it stops', () => {
  const index = fileURLToPath(new URL('../../../../src/engine/temporal/workflow/index.ts', import.meta.url))
  const [, exported = ''] = /^export \{(.*?)^\}/ms.exec(readFileSync(index, 'utf8')) ?? []
  const types = [...exported.matchAll(/^ {2}(?:\w+ as )?(\w+),$/gm)].map(([, name = '']) =>
    name === 'default' ? runTypeOf('any') : name,
  )
  expect(types.length).toBeGreaterThan(5)
  expect(types.filter((type) => workflowKindOf(type).name === type)).toEqual([])
})
