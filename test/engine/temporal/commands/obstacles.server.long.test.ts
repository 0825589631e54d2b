import type { ChildProcess } from 'node:child_process'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startStandIn } from '../../../api/stand-in.ts'
import { forkProgram, killProcess } from '../support/fork-program.ts'
import { makeCurrent } from '../support/make-current.ts'
import { openStage, type Stage, type StageOptions } from '../support/open-stage.ts'
import { startOtherWorker } from '../support/other-worker.ts'
import { untilNoTask } from '../support/until-no-task.ts'
import { type Engines, enginesOfTest } from './open-engines.ts'

const head = 'apiVersion: opsbook/v1\n'
const files = {
  'ask.yaml': `${head}name: ask
steps:
  - { id: ask, uses: core/approve, with: { message: "go on?" } }
  - { id: then, uses: core/set, with: { a: 1 } }
`,
  'both.yaml': `${head}name: both
inputs: { type: object, required: [url], properties: { url: { type: string } } }
steps:
  - id: both
    parallel:
      - { id: ask, uses: core/approve, with: { message: "go on?" } }
      - { id: make, uses: core/http, with: { method: POST, url: "\${{ inputs.url }}" } }
`,
}

async function open(): Promise<Engines> {
  const engines = await enginesOfTest(files, { hasWorker: false })
  return engines
}

async function work({ taskQueue }: Engines, options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage(inject('temporalAddress'), [], { taskQueue, ...options })
  onTestFinished(() => stage.close())
  return stage
}

async function startAsking({ temporal }: Engines, ...words: readonly string[]): Promise<string> {
  const { stdout } = await temporal(['start', ...words])
  const id = stdout.trim()
  await expect.poll(async () => (await temporal(['show', id])).stdout).toContain('asks: go on?')
  return id
}

/** A run that asks, whose workers have code that has nothing in common with ours. */
async function askWithOtherCode() {
  const engines = await open()
  const fitting = await work(engines)
  const id = await startAsking(engines, 'ask.yaml')
  await untilNoTask(fitting, [id])
  await fitting.stopWorker()
  return { engines, ...engines, fitting, id, stop: await startOtherWorker(engines.taskQueue) }
}

test('code that cannot replay a run is named as that, and the run is ended past it', async () => {
  const { engines, temporal, id, stop } = await askWithOtherCode()

  const named = new RegExp(
    `CodeCannotReplay: .+ cannot replay ${id} with its code: \\[TMPRL1100\\].*\\n +next +Start workers whose code fits.*opsbook cancel ${id} --now`,
  )
  for (const words of [['show'], ['approve', 'ask'], ['logs'], ['cancel'], ['resume']]) {
    const [command = '', ...more] = words
    const { code, stderr } = await temporal([command, id, ...more])
    expect({ words, code, stderr }).toEqual({ words, code: 5, stderr: expect.stringMatching(named) })
  }
  // A follower waits for a worker that fits.
  const ended = await temporal(['cancel', id, '--now'])
  expect(ended).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${id} was ended on the server without clean-up`),
  })
  expect(ended.stdout).toContain(`opsbook resume ${id}`)
  const fit: Promise<unknown>[] = []
  const watched = await temporal(['watch', id], {
    onWrite(text) {
      if (text.includes('waiting for a worker whose code fits')) fit.push(stop().then(() => work(engines)))
    },
  })
  expect({ code: watched.code, times: fit.length }).toEqual({ code: 130, times: 1 })
  expect((await temporal(['show', id])).stdout).toMatch(/ask interrupted/)
  expect((await temporal(['resume', id, '--yes'])).code).toBe(0)
}, 90_000)

test('doctor names the run whose code does not fit, and what is ended after that cannot be resumed', async () => {
  const { engines, temporal, fitting, id, stop } = await askWithOtherCode()
  // It waits: none of its tasks has failed.
  const { code, stdout } = await temporal(['doctor', '--sandbox'])
  expect({ code, stdout }).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(`fail +runs +CodeCannotReplay: a worker cannot replay ${id}`),
  })
  await untilSick(engines, fitting, id, new RegExp(`CodeCannotReplay: the worker \\S+ cannot replay ${id}.*`))
  expect((await temporal(['approve', id, 'ask'])).stderr).toMatch(
    /CodeCannotReplay: the worker \S+ cannot replay/,
  )
  const ended = await temporal(['cancel', id, '--now'])
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('it cannot be resumed') })
  await stop()
  await work(engines)
  for (const command of ['show', 'watch', 'resume']) {
    const { code, stderr } = await temporal([command, id])
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('RunUnanswerable') })
  }
  expect((await temporal(['doctor', '--sandbox'])).code).toBe(0)
}, 90_000)

test('a run is answered for where one worker of several has code that fits', async () => {
  const engines = await open()
  await work(engines)
  const id = await startAsking(engines, 'ask.yaml')
  await startOtherWorker(engines.taskQueue)
  for (let looks = 0; looks < 5; looks++)
    expect((await engines.temporal(['show', id])).stdout).toContain('asks: go on?')
}, 60_000)

test('a build that is gone is named as that, and what it had begun where its run is ended', async () => {
  const engines = await open()
  const { temporal, taskQueue } = engines
  const name = taskQueue
  const old = await workInProcess(engines, name, '1')
  const next = await work(engines, { deployment: { name, buildId: '2' } })
  await makeCurrent(next.client, name, '1')
  const service = await startStandIn(() => undefined)
  const id = await startAsking(engines, 'both.yaml', '--input', `url=${service.baseUrl}`)
  await expect.poll(() => service.received).toHaveLength(1)
  await makeCurrent(next.client, name, '2')
  await killProcess(old)

  const named = `BuildIsGone: ${id} is pinned to build 1 of ${name}, and no worker of it is running: those at the task queue "${taskQueue}" are build 2 of ${name}`
  // A worker that has just gone cannot be told from a slow one.
  const approve = async (): Promise<string> => (await temporal(['approve', id, 'ask'])).stderr
  await expect.poll(approve).toContain(named)
  for (const words of [['show'], ['cancel']]) {
    const [command = '', ...more] = words
    const { code, stderr } = await temporal([command, id, ...more])
    expect({ words, code, stderr }).toEqual({ words, code: 5, stderr: expect.stringContaining(named) })
    expect(stderr).toMatch(/next +Start a worker of that build.*auto_upgrade.*--now/)
  }
  await untilSick(engines, next, id, /BuildIsGone: .*/)
  const ended = await temporal(['cancel', id, '--now', '-o', 'json'])
  expect(ended.code).toBe(0)
  expect(JSON.parse(ended.stdout)).toEqual({
    run_id: id,
    status: 'interrupted',
    because: 'BuildIsGone',
    is_resumable: true,
    open_calls: [{ path: 'both/make', action: 'core/http', safety: 'create' }],
  })
  const runs = async (): Promise<unknown> => JSON.parse((await temporal(['runs', '-o', 'json'])).stdout).runs
  const run = expect.objectContaining({ run_id: id, status: 'interrupted' })
  await expect.poll(runs).toEqual(expect.arrayContaining([run]))
}, 120_000)

test('a build that was not made the current one is named as that', async () => {
  const engines = await open()
  const { temporal, taskQueue: name } = engines
  await work(engines, { deployment: { name, buildId: '1' } })
  const { stdout } = await temporal(['start', 'ask.yaml'])
  const { code, stderr } = await temporal(['show', stdout.trim()])
  expect(code).toBe(5)
  expect(stderr).toMatch(/NoWorker: no worker serves .* to workers without a version, and .* are build 1 of /)
  expect(stderr).toMatch(/next +.*set-current-version/)
}, 60_000)

/** Whatever happens to a run is a task that no worker can do, and that is seen without asking the run. */
async function untilSick({ temporal }: Engines, { client }: Stage, id: string, named: RegExp): Promise<void> {
  await client.workflow.getHandle(id).signal('something')
  const stdout = expect.stringMatching(
    new RegExp(`fail +runs +${named.source}.*\n.*opsbook cancel ${id} --now`),
  )
  const look = (): Promise<object> => temporal(['doctor', '--sandbox'])
  await expect.poll(look).toMatchObject({ code: 1, stdout })
}

async function workInProcess(
  { env, taskQueue, folder }: Engines,
  name: string,
  buildId: string,
): Promise<ChildProcess> {
  const address = env['TEMPORAL_ADDRESS'] ?? ''
  const args = [address, taskQueue, 'http://127.0.0.1:1', folder, name, buildId]
  const worker = await forkProgram('worker-process', args)
  onTestFinished(() => killProcess(worker))
  return worker
}
