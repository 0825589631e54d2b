import { randomBytes } from 'node:crypto'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { forkProgram, killProcess } from '../support/fork-program.ts'
import { type Engines, openEngines } from './open-engines.ts'

const files = {
  'quiet.yaml':
    'apiVersion: opsbook/v1\nname: quiet\nsteps:\n  - { id: a, uses: core/set, with: { of: "${{ 1 }}" } }\n',
}
const newKey = (): string => randomBytes(32).toString('base64')

afterEach(() => {
  vi.unstubAllEnvs()
})

/** A worker that encrypts with the key `ours`. */
async function encryptingWorker(key: string): Promise<Engines> {
  const engines = await openEngines(files, { hasWorker: false })
  onTestFinished(() => engines.close())
  const address = engines.env['TEMPORAL_ADDRESS'] ?? ''
  const args = [address, engines.taskQueue, 'http://127.0.0.1:1', `${engines.folder}/data`]
  const worker = await forkProgram('worker-process', args, { OPSBOOK_TEMPORAL_KEYS: `ours:${key}` })
  onTestFinished(() => killProcess(worker))
  // The server shows a worker once it has asked for work.
  const seen = async () => (await engines.temporal(['doctor'])).stdout
  await expect.poll(seen).toContain(`${worker.pid}@`)
  return engines
}

async function runsOf({ temporal }: Engines): Promise<readonly { readonly run_id: string }[]> {
  return JSON.parse((await temporal(['runs', '-o', 'json'])).stdout).runs
}

test('without the key of the workers no run is started, and with it there is one', async () => {
  const key = newKey()
  const engines = await encryptingWorker(key)
  for (const command of ['run', 'start']) {
    const { code, stderr } = await engines.temporal([
      command,
      'quiet.yaml',
      '--id',
      `my-${engines.taskQueue}`,
    ])
    expect({ command, code }).toEqual({ command, code: 5 })
    expect(stderr).toMatch(
      /PayloadUnreadable: the worker \d+@\S+ key=ours encrypts with the key ours, which is not here: nothing was started/,
    )
    expect(stderr).toContain('OPSBOOK_TEMPORAL_KEYS')
  }
  const ours = async () => (await runsOf(engines)).filter((run) => JSON.stringify(run).includes('quiet'))
  const before = (await ours()).length
  vi.stubEnv('OPSBOOK_TEMPORAL_KEYS', `ours:${key}`)
  const id = ['--id', `my-${engines.taskQueue}`]
  const run = await engines.temporal(['run', 'quiet.yaml', '-o', 'json', ...id])
  expect(JSON.parse(run.stdout)).toMatchObject({ status: 'succeeded' })
  // The list of the server lags behind.
  await expect.poll(async () => (await ours()).length).toBe(before + 1)
})

test('with another key of the same name the error names the run that continues', async () => {
  const engines = await encryptingWorker(newKey())
  vi.stubEnv('OPSBOOK_TEMPORAL_KEYS', `other:${newKey()},ours:${newKey()}`)
  const { code, stderr } = await engines.temporal(['run', 'quiet.yaml', '-q'])
  expect(code).toBe(5)
  const [, runId = ''] =
    /PayloadUnreadable: (run_\S+) is started, and the answers of its workers/.exec(stderr) ?? []
  expect(stderr).toContain(`opsbook watch ${runId}`)
  await expect
    .poll(async () => (await engines.temporal(['runs', '--runbook', 'quiet'])).stdout)
    .toContain(runId)
})
