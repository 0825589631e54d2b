import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { NativeConnection, Worker } from '@temporalio/worker'
import { afterEach, expect, inject, test } from 'vitest'
import { dataConverterFor } from '../../../../src/engine/temporal/codec/create-codec.ts'
import { connectClient } from '../../../../src/engine/temporal/index.ts'
import { rateLimiterType } from '../../../../src/engine/temporal/limits/messages.ts'
import { runTypeOf } from '../../../../src/engine/temporal/run-listing.ts'
import { kindOf } from '../../../../src/engine/temporal/worker/replay-open-workflows.ts'
import { otherBundle } from '../support/other-bundle.ts'
import { type Engines, openEngines } from './open-engines.ts'

const ask = `apiVersion: opsbook/v1
name: ask
steps:
  - { id: look, uses: monit/tools/catalog, with: { target_locator: web-01 } }
  - { id: ask, uses: core/approve, with: { message: "go on?" } }
`
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
}, 60_000)

async function open(hasWorker: boolean): Promise<Engines> {
  const engines = await openEngines({ 'ask.yaml': ask }, { hasWorker })
  ends.push(() => engines.close())
  return engines
}

async function start({ temporal }: Engines): Promise<string> {
  const { code, stdout } = await temporal(['start', 'ask.yaml'])
  expect(code).toBe(0)
  ends.push(async () => void (await temporal(['cancel', stdout.trim()])))
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
  const id = await start(engines)
  await untilChecked(engines, 0, /^(\d+) of \1 open workflows can continue.* {2}runs: 1 of 1\n/s)
  const { stdout } = await engines.temporal(['replay-check', '-o', 'json'])
  const { kinds, workflows } = JSON.parse(stdout)
  expect(kinds).toContainEqual({ kind: 'runs', open: 1, fitting: 1 })
  expect(workflows).toContainEqual({ id, kind: 'runs' })
})

/** Other code under the names of ours begins what is started next. */
async function beginOtherwise(engines: Engines): Promise<void> {
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') })
  const other = await Worker.create({
    connection,
    taskQueue: engines.taskQueue,
    workflowBundle: await otherBundle(),
    dataConverter: dataConverterFor('replace'),
  })
  const running = other.run()
  ends.push(async () => {
    other.shutdown()
    await running
    await connection.close()
  })
}

test('replay-check names what this version could not continue', async () => {
  const engines = await open(false)
  await beginOtherwise(engines)
  const id = await start(engines)
  const said = `^✖ ${id}: .*; it would stop the run\\n0 of 1 open workflows can continue.*\\n  runs: 0 of 1\\n`
  await untilChecked(engines, 1, new RegExp(said))
})

test('replay-check finds the limiter that this version could not continue, and names what that would stop', async () => {
  const engines = await open(false)
  await beginOtherwise(engines)
  const { taskQueue } = engines
  const address = engines.env['TEMPORAL_ADDRESS'] ?? ''
  const client = await connectClient({ address, namespace: 'default', taskQueue })
  const workflowId = `limiter-of-${taskQueue}`
  // What this version cannot read.
  const args = [{ count: {} }]
  const handle = await client.workflow.start(rateLimiterType, { workflowId, taskQueue, args })
  ends.push(async () => {
    await handle.terminate()
    await client.connection.close()
  })
  const said = `^✖ ${workflowId}: .*; it would stop every call of the operations that it counts\\n0 of 1 .*\\n  rate limiters: 0 of 1\\n`
  await untilChecked(engines, 1, new RegExp(said))
})

test('of every workflow that workers register it is known what it stops', () => {
  const index = fileURLToPath(new URL('../../../../src/engine/temporal/workflow/index.ts', import.meta.url))
  const types = [...readFileSync(index, 'utf8').matchAll(/^export \{ (?:\w+ as )?(\w+) \}/gm)].flatMap(
    ([, name = '']) => (name === 'default' ? [runTypeOf('any')] : [name]),
  )
  expect(types.length).toBeGreaterThan(5)
  expect(types.filter((type) => kindOf(type).name === type)).toEqual([])
})
