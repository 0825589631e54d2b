/** A worker with a sandbox, or of another service, polls the task queue of real runs, and continues them. */
import { randomBytes } from 'node:crypto'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { connectClient } from '../../../src/engine/temporal/connection.ts'
import {
  claimQueue,
  closedSandbox,
  openSandbox,
  readQueueService,
} from '../../../src/engine/temporal/worker/claim-queue.ts'
import { type CommandResult, opsbook, type RunningCommand } from '../../cli/support/opsbook.ts'
import { startService } from '../../cli/support/service.ts'
import { startReceiver } from '../../engine/notifications/receiver.ts'
import { enginesOfTest } from '../../engine/temporal/commands/open-engines.ts'
import { untilNoTask } from '../../engine/temporal/support/until-no-task.ts'

const head = 'apiVersion: opsbook/v1\nname: test\nsteps:\n'
const files = (url: string) => ({
  'test.yaml': `${head}  - { id: ok, uses: core/approve, with: { message: Go on? } }
  - { id: app, uses: rum/application/create, with: { application_name: shop, type: browser, team_id: 1 } }\n`,
  'send.yaml': `${head}  - { id: send, uses: core/http, with: { url: "${url}" } }\n`,
  'fail.yaml': `${head}  - { id: fails, uses: core/assert, with: { that: [false] } }\n`,
  'chat.url': `${url}\n`,
})
const notify = 'notify: [{ on: [run_failed], url: "file:chat.url" }]\n'

interface RunningWorker {
  readonly isReady: boolean
  stop(): Promise<CommandResult>
}

/** Starts `opsbook worker` in this process. Resolves once it is ready or has ended. */
function startWorker(
  words: readonly string[],
  surroundings: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
): Promise<RunningWorker> {
  return new Promise((resolve) => {
    const ended = opsbook(['worker', ...words], {
      ...surroundings,
      onWrite(text, command: RunningCommand) {
        if (!text.startsWith('worker ready')) return
        const stop = (): Promise<CommandResult> => {
          command.signal('SIGTERM')
          return ended
        }
        onTestFinished(async () => void (await stop()))
        resolve({ isReady: true, stop })
      },
    })
    void ended.then(() => resolve({ isReady: false, stop: () => ended }))
  })
}

async function newStage() {
  const receiver = await startReceiver()
  const engines = await enginesOfTest(files(receiver.url), { hasWorker: false, more: notify })
  return { receiver, engines, client: await engines.client() }
}

it('the run of a service is not continued by a sandbox, nor by another service', {
  timeout: 120_000,
}, async () => {
  const [service, other] = [await startService(), await startService()]
  const { engines, client } = await newStage()
  const { folder, env } = engines
  const here = { folder, env: { ...env, ...service.env() } }
  const first = await startWorker([], here)
  const runId = (await engines.temporal(['start', 'test.yaml'])).stdout.trim()
  const shown = async () => (await engines.temporal(['show', runId])).stdout
  await expect.poll(shown).toContain('Go on?')
  await untilNoTask({ client }, [runId])
  await first.stop()
  for (const [words, more, text] of [
    [['--sandbox'], {}, 'and not to a sandbox'],
    [[], other.env(), `and not to ${other.url}`],
  ] as const) {
    const worker = await startWorker(words, { folder, env: { ...env, ...more } })
    expect(worker.isReady).toBe(false)
    const { code, stderr } = await worker.stop()
    expect([code, stderr]).toEqual([5, expect.stringContaining(`belongs to ${service.url}, ${text}`)])
    expect(stderr).toMatch(/error: WrongTaskQueue:[\s\S]*OPSBOOK_TASK_QUEUE[\s\S]*--claim-queue/)
  }
  const doctor = await engines.temporal(['doctor'])
  expect(doctor.stdout).toContain(`"${engines.taskQueue}" belongs to ${service.url}`)
  const atHome = await engines.temporal(['doctor'], { env: service.env() })
  expect(atHome.stdout).toMatch(/ok +task queue/)
  const elsewhere = await engines.temporal(['doctor'], { env: other.env() })
  expect(elsewhere.stdout).toMatch(
    new RegExp(`warn +task queue .* the default connection here is ${other.url}.*\\n.*OPSBOOK_TASK_QUEUE`),
  )
  const again = await startWorker([], here)
  expect(again.isReady).toBe(true)
  const approved = await engines.temporal(['approve', runId, 'ok'])
  expect(approved.code, approved.stderr).toBe(0)
  expect((await engines.temporal(['watch', runId])).code).toBe(0)
  expect((await service.calls()).filter((operation) => operation === 'E2')).toHaveLength(1)
  const claimed = await startWorker(['--sandbox', '--claim-queue'], { folder, env })
  expect((await claimed.stop()).stderr).toMatch(/WrongTaskQueue: .*; workers poll it: /)
})

it('a queue that no worker polls can be given to another service', async () => {
  const { client, engines } = await newStage()
  const { taskQueue } = engines
  await claimQueue(client, taskQueue, { service: 'https://one.example/' })
  await claimQueue(client, taskQueue, { service: 'https://ONE.example' })
  const refused = { code: 'WrongTaskQueue' }
  await expect(claimQueue(client, taskQueue, { service: closedSandbox })).rejects.toMatchObject(refused)
  await claimQueue(client, taskQueue, { service: closedSandbox, isTakenOver: true })
  await expect(claimQueue(client, taskQueue, { service: 'https://one.example' })).rejects.toMatchObject(
    refused,
  )
  await expect(claimQueue(client, taskQueue, { service: '' })).rejects.toMatchObject(refused)
})

it('workers without a default connection leave the queue to the first that has one', async () => {
  const { client, engines } = await newStage()
  const { taskQueue } = engines
  await claimQueue(client, taskQueue, { service: '' })
  await expect(claimQueue(client, taskQueue, { service: closedSandbox })).rejects.toThrow('without a default')
  await claimQueue(client, taskQueue, { service: 'https://one.example' })
  await claimQueue(client, taskQueue, { service: '' })
  await expect(claimQueue(client, taskQueue, { service: 'https://two.example' })).rejects.toThrow(
    'belongs to https://one.example, and not to https://two.example',
  )
})

it('all sandboxes are one service, and the last one says whether it may be left', async () => {
  const { client, engines } = await newStage()
  for (const service of [closedSandbox, openSandbox, closedSandbox]) {
    await claimQueue(client, engines.taskQueue, { service })
    expect(await readQueueService(client, engines.taskQueue)).toBe(service)
  }
})

it.each([undefined, ''])(
  'of workers that start together one has the queue, where it belonged to %o',
  async (before) => {
    const { client, engines } = await newStage()
    if (before !== undefined) await claimQueue(client, engines.taskQueue, { service: before })
    const claims = ['https://one.example', 'https://two.example', 'https://three.example'].map((service) =>
      claimQueue(client, engines.taskQueue, { service }),
    )
    const settled = await Promise.allSettled(claims)
    expect(settled.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
  },
)

it('the claim can be read after its keys were replaced', async () => {
  const { engines } = await newStage()
  const { taskQueue } = engines
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const name of ['old', 'new']) {
    vi.stubEnv('OPSBOOK_TEMPORAL_KEYS', `${name}:${randomBytes(32).toString('base64')}`)
    const client = await connectClient({
      address: inject('temporalAddress'),
      namespace: 'default',
      taskQueue,
    } as never)
    onTestFinished(() => client.connection.close())
    await claimQueue(client, taskQueue, { service: 'https://one.example' })
    expect(await readQueueService(client, taskQueue)).toBe('https://one.example')
  }
})

it('a queue of a sandbox with open runs is not given to a real service', async () => {
  const { engines, client } = await newStage()
  const { taskQueue } = engines
  await claimQueue(client, taskQueue, { service: closedSandbox })
  await engines.temporal(['start', 'test.yaml'])
  const isListed = () => client.workflow.count(`TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`)
  await expect.poll(isListed).toMatchObject({ count: 1 })
  const taken = claimQueue(client, taskQueue, { service: 'https://one.example', isTakenOver: true })
  await expect(taken).rejects.toThrow('1 of its runs are open')
})

it('a worker with a sandbox sends nothing to anything else', async () => {
  const { receiver, engines, client } = await newStage()
  const worker = await startWorker(['--sandbox'], engines)
  for (const command of ['run', 'start']) {
    const { code, stderr } = await engines.temporal([command, 'send.yaml'])
    expect([command, code, stderr]).toEqual([
      command,
      2,
      expect.stringContaining('error: OutsideSandbox: send '),
    ])
  }
  // A run that the check has let pass is refused by the worker.
  await claimQueue(client, engines.taskQueue, { service: openSandbox })
  const { code, stdout } = await engines.temporal(['run', 'send.yaml', '-q', '-o', 'json'])
  expect([code, JSON.parse(stdout).error]).toMatchObject([1, { code: 'OutsideSandbox' }])
  expect((await engines.temporal(['run', 'fail.yaml', '-q'])).code).toBe(1)
  const { stderr } = await worker.stop()
  expect(stderr).toContain('notifications are not sent from a sandbox')
  expect(receiver.received).toEqual([])
})

it('--allow-outside lets it', async () => {
  const { receiver, engines } = await newStage()
  await startWorker(['--sandbox', '--allow-outside'], engines)
  await engines.temporal(['run', 'fail.yaml', '-q'])
  await receiver.has(1)
  expect(receiver.received[0]?.body).toMatchObject({
    message: expect.stringMatching(/^\[sandbox\] /),
    sandbox: true,
  })
})
