import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Client } from '@temporalio/client'
import { createActions, loadRunbook, type Plan } from 'opsbook'
import { type Sandbox, startSandbox } from 'opsbook/sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { untilAnswered } from '../../../src/engine/retry-while-unavailable.ts'
import { followEvents } from '../../../src/engine/temporal/client/follow-events.ts'
import { readState } from '../../../src/engine/temporal/client/read-run.ts'
import { talkToRun } from '../../../src/engine/temporal/client/talk-to-run.ts'
import { connectClient, searchAttributes, startRun } from '../../../src/engine/temporal/index.ts'
import { answerUpdate } from '../../../src/engine/temporal/messages.ts'
import { type DevServer, startDevServer } from '../../../src/engine/temporal/server/index.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { type HeldAnswers, holdAnswers } from './support/held-answers.ts'

const taskQueue = 'kills'
const runs = 3
/** After this time without a heartbeat the server takes a worker for lost. */
const heartbeatTimeoutMs = 10_000
const folder = mkdtempSync(join(tmpdir(), 'opsbook-kills-'))
let server: DevServer
let sandbox: Sandbox
/** Calls are in flight until the test lets their answers go, however slow the machine is. */
let calls: HeldAnswers
let client: Client
let worker: ChildProcess
const lookers: Promise<unknown>[] = []

/** The same server again: what it knows is in its file, and its address stays. */
function openServer(port?: number): Promise<DevServer> {
  return startDevServer({
    databaseFile: join(folder, 'temporal.db'),
    searchAttributes,
    ...(port === undefined ? {} : { port }),
  })
}

async function openWorker(): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('support/worker-process.ts', import.meta.url))
  const args = [server.address, taskQueue, calls.url, folder]
  const child = fork(program, args, {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  await once(child, 'message')
  return child
}

/** Turns of a read and a create. */
const turns = [
  {
    id: 'rounds',
    repeat: {
      with: { n: 0 },
      next: { n: '${{ turn.n + 1 }}' },
      until: '${{ next.n == 3 }}',
      'at-most': 5,
      collect: '${{ steps.make.outputs.application_id }}',
    },
    steps: [
      { id: 'look', uses: 'rum/application/infos', with: { application_ids: ['CheckoutWebSandboxApp1'] } },
      {
        id: 'make',
        uses: 'rum/application/create',
        with: { application_name: '${{ run.id }} ${{ turn.n }}', type: 'browser', team_id: 0 },
      },
    ],
  },
]

const steps = {
  turns,
  asks: [{ id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } }],
  reads: [
    { id: 'look', uses: 'rum/application/infos', with: { application_ids: ['CheckoutWebSandboxApp1'] } },
  ],
  creates: [
    {
      id: 'make',
      uses: 'rum/application/create',
      with: { application_name: '${{ run.id }}', type: 'browser', team_id: 0 },
    },
  ],
}

function compile(of: keyof typeof steps): Plan {
  const text = JSON.stringify({ apiVersion: 'opsbook/v1', name: of, steps: steps[of] })
  const { plan, diagnostics } = loadRunbook(text, createActions([]))
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return plan
}

/** Starts runs, and resolves with their ids once a call of each is on its way. */
async function startSome(of: keyof typeof steps, more: object = {}): Promise<readonly string[]> {
  const before = calls.count()
  calls.hold(pathOf(of))
  const handles = await Promise.all(
    Array.from({ length: runs }, () =>
      startRun({ client, taskQueue, dataDir: folder, plan: compile(of), inputs: {}, ...more }),
    ),
  )
  // A client that follows them may fail when the server stops; the runs do not.
  lookers.push(...handles.map(({ result }) => result.catch(() => undefined)))
  await expect.poll(calls.count, { interval: 50 }).toBe(before + runs)
  return handles.map(({ runId }) => runId)
}

/** How many creates the sandbox has on record. */
async function created(): Promise<number> {
  const response = await fetch(`${sandbox.url}/_sandbox/requests?limit=1000`)
  const { requests } = (await response.json()) as { requests: readonly { path?: string }[] }
  return requests.filter((request) => JSON.stringify(request).includes('application/create')).length
}

function pathOf(of: keyof typeof steps): string {
  return of === 'reads' || of === 'turns' ? 'application/infos' : 'application/create'
}

async function endOf(runId: string): Promise<string> {
  for (;;) {
    try {
      await client.workflow.getHandle(runId).result()
      return 'succeeded'
    } catch (thrown) {
      if ((thrown as Error).name === 'WorkflowFailedError') return String((thrown as Error).cause)
    }
  }
}

beforeAll(async () => {
  server = await openServer()
  sandbox = await startSandbox()
  calls = await holdAnswers(sandbox.url)
  client = await connectClient({ address: server.address, namespace: 'default', taskQueue })
  worker = await openWorker()
})

afterAll(async () => {
  await Promise.all(lookers)
  worker.kill('SIGKILL')
  await client.connection.close()
  await server.stop()
  calls.close()
  await sandbox.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a run', () => {
  it('outlives its worker: reads in flight are made again by the next one', async () => {
    const ids = await startSome('reads')
    const before = calls.count()
    worker.kill('SIGKILL')
    worker = await openWorker()
    await expect.poll(calls.count, { timeout: 60_000, interval: 50 }).toBe(before + runs)
    calls.release()
    expect(await Promise.all(ids.map(endOf))).toEqual(ids.map(() => 'succeeded'))
  })

  it('outlives its worker in any turn of a block that is repeated: no turn is lost, and none made twice', async () => {
    const ids = await startSome('turns')
    const creates = await created()
    for (const round of [1, 2]) {
      // The reads of a turn come after all creates of the turn before.
      const reads = calls.count()
      calls.sendHeld()
      await expect.poll(calls.count, { timeout: 60_000, interval: 50 }).toBe(reads + runs)
      expect(await created()).toBe(creates + runs * round)
      worker.kill('SIGKILL')
      worker = await openWorker()
      // What was in flight is made again.
      await expect.poll(calls.count, { timeout: 60_000, interval: 50 }).toBe(reads + 2 * runs)
    }
    calls.release()
    expect(await Promise.all(ids.map(endOf))).toEqual(ids.map(() => 'succeeded'))
    expect(await created()).toBe(creates + runs * 3)
  }, 120_000)

  it('outlives the server: no create in flight is lost or made twice', async () => {
    const ids = await startSome('creates')
    const before = await created()
    const port = Number(server.address.split(':')[1])
    process.kill(server.processId as number, 'SIGKILL')
    await server.ended
    calls.release()
    server = await openServer(port)
    expect(await Promise.all(ids.map(endOf))).toEqual(ids.map(() => 'succeeded'))
    expect(await created()).toBe(before)
  })

  it('knows the outcome of a create, also when the server was away until its heartbeats had timed out', async () => {
    const ids = await startSome('creates')
    const before = await created()
    const port = Number(server.address.split(':')[1])
    process.kill(server.processId as number, 'SIGKILL')
    await server.ended
    calls.release()
    // The heartbeats that have to time out are those on the server's record.
    await sleep(heartbeatTimeoutMs + 1000)
    server = await openServer(port)
    expect(await Promise.all(ids.map(endOf))).toEqual(ids.map(() => 'succeeded'))
    expect(await created()).toBe(before)
  })

  it('is followed through an outage while it waits for a person, and the outage is reported', async () => {
    const plan = compile('asks')
    const { runId, result } = await startRun({ client, taskQueue, dataDir: folder, plan, inputs: {} })
    lookers.push(result.catch(() => undefined))
    const ports = { client, taskQueue }
    const said: string[] = []
    const seen: string[] = []
    const look = async (): Promise<void> => {
      const options = { say: (text: string) => void said.push(text) }
      for await (const { event } of followEvents(ports, runId, options)) seen.push(event.type)
    }
    const looked = look()
    // With the report: a failure of the test then shows what is waited for.
    await expect.poll(() => [...seen, ...said]).toContain('waiting')
    const port = Number(server.address.split(':')[1])
    process.kill(server.processId as number, 'SIGKILL')
    await server.ended
    await expect.poll(() => said).not.toEqual([])
    expect(said).toEqual([expect.stringMatching(/^no Temporal server answers .*; it is asked again/)])
    server = await openServer(port)
    const handle = client.workflow.getHandle(runId)
    await untilAnswered(
      () => talkToRun(runId, ports, () => readState(handle)),
      () => {},
    )
    const order = { step: 'ask', approved: true, by: systemUserNamed('somebody') }
    await talkToRun(runId, ports, () => handle.executeUpdate(answerUpdate, { args: [order] }))
    await looked
    expect(seen.slice(-3)).toEqual(['answered', 'step_finished', 'run_finished'])
  })
})
