import { fileURLToPath } from 'node:url'
import { NativeConnection, Worker } from '@temporalio/worker'
import { afterEach, expect, inject, test } from 'vitest'
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

/** What the server lists is known a moment after it is so. */
async function untilChecked({ temporal }: Engines, code: number, said: RegExp): Promise<void> {
  const check = async (): Promise<object> => {
    const { stdout, code } = await temporal(['replay-check'])
    return { stdout, code }
  }
  await expect.poll(check, { timeout: 20_000 }).toEqual({ stdout: expect.stringMatching(said), code })
}

test('replay-check replays what is open', async () => {
  const engines = await open(true)
  expect(await engines.temporal(['replay-check'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^no run is open/),
  })
  const id = await start(engines)
  await untilChecked(engines, 0, /^1 of 1 open runs can go on/)
  const { stdout } = await engines.temporal(['replay-check', '-o', 'json'])
  expect(JSON.parse(stdout)).toEqual({ runs: [{ run_id: id }] })
})

test('replay-check names what this version could not go on with', async () => {
  const engines = await open(false)
  // Other code under the name of ours begins it.
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') })
  const other = await Worker.create({
    connection,
    taskQueue: engines.taskQueue,
    workflowsPath: fileURLToPath(new URL('../support/other-workflow.ts', import.meta.url)),
  })
  const running = other.run()
  ends.push(async () => {
    other.shutdown()
    await running
    await connection.close()
  })
  const id = await start(engines)
  await untilChecked(engines, 1, new RegExp(`^✖ ${id}: .*\\n0 of 1 open runs can go on`))
})
