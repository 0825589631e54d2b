import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@temporalio/client'
import { createActions, loadRunbook, type Plan } from 'opsbook'
import { type Sandbox, startSandbox } from 'opsbook/sandbox'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { untilAnswered } from '../../../src/engine/retry-while-unavailable.ts'
import { followEvents } from '../../../src/engine/temporal/client/follow-events.ts'
import { askState } from '../../../src/engine/temporal/client/read-run.ts'
import { answerRun } from '../../../src/engine/temporal/client/talk-to-run.ts'
import { connectClient, startRun } from '../../../src/engine/temporal/index.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { retryStart } from '../../support/retry-start.ts'
import { forkProgram, killProcess } from './support/fork-program.ts'
import { type HeldAnswers, holdAnswers } from './support/held-answers.ts'
import { openWay } from './support/open-way.ts'
import { type OwnServer, openOwnServer } from './support/own-server.ts'

const taskQueue = 'kills'
const runs = 3
const folder = mkdtempSync(join(tmpdir(), 'opsbook-kills-'))
let server: OwnServer
let sandbox: Sandbox
/** Calls are in flight until the test lets their answers go, however slow the machine is. */
let calls: HeldAnswers
let client: Client
let worker: ChildProcess
const lookers: Promise<unknown>[] = []

/** Ends the worker; another one takes its place. */
async function replaceWorker(address: string = server.address): Promise<void> {
  await killProcess(worker)
  worker = await openWorker(address)
}

function openWorker(address: string = server.address): Promise<ChildProcess> {
  return forkProgram('worker-process', [address, taskQueue, calls.url, folder])
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
  await untilCalls(before + runs)
  return handles.map(({ runId }) => runId)
}

/** A worker is lost once its heartbeats have timed out. */
const untilCalls = (count: number) => expect.poll(calls.count, { timeout: 100_000 }).toBe(count)

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
  server = await openOwnServer()
  sandbox = await startSandbox()
  calls = await holdAnswers(sandbox.url)
  const settings = { address: server.address, namespace: 'default', taskQueue }
  client = await retryStart(() => connectClient(settings))
  worker = await openWorker()
}, 180_000)

afterAll(async () => {
  await Promise.all(lookers)
  await killProcess(worker)
  await client.connection.close()
  await server.close()
  calls.close()
  await sandbox.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a run', { timeout: 240_000 }, () => {
  it('outlives its worker: reads in flight are made again by the next one', async () => {
    const ids = await startSome('reads')
    const before = calls.count()
    await replaceWorker()
    await untilCalls(before + runs)
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
      await untilCalls(reads + runs)
      expect(await created()).toBe(creates + runs * round)
      await replaceWorker()
      // What was in flight is made again.
      await untilCalls(reads + 2 * runs)
    }
    calls.release()
    expect(await Promise.all(ids.map(endOf))).toEqual(ids.map(() => 'succeeded'))
    expect(await created()).toBe(creates + runs * 3)
  })

  it('outlives the server: no create in flight is lost or made twice', async () => {
    const ids = await startSome('creates')
    const before = await created()
    await server.kill()
    calls.release()
    await server.restart()
    expect(await Promise.all(ids.map(endOf))).toEqual(ids.map(() => 'succeeded'))
    expect(await created()).toBe(before)
  })

  it('knows the outcome of a create whose worker was away until its heartbeats had timed out', async () => {
    onTestFinished(() => replaceWorker())
    const way = await openWay(server.address)
    await replaceWorker(way.address)
    const ids = await startSome('creates')
    const before = await created()
    way.close(true)
    calls.release()
    const timedOut = async (runId: string): Promise<boolean> =>
      ((await client.workflow.getHandle(runId).fetchHistory()).events ?? []).some(
        (event) => event.activityTaskTimedOutEventAttributes,
      )
    for (const id of ids) await expect.poll(() => timedOut(id)).toBe(true)
    way.close(false)
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
    await server.kill()
    // The request for new events that is open then ends after ten seconds.
    await expect.poll(() => said, { timeout: 100_000 }).not.toEqual([])
    expect(said).toEqual([expect.stringMatching(/^no Temporal server answers .*; it is asked again/)])
    await server.restart()
    await untilAnswered(
      () => askState(runId, ports),
      () => {},
    )
    const order = { step: 'ask', approved: true, by: systemUserNamed('somebody') }
    await answerRun(runId, ports, order)
    await looked
    expect(seen.slice(-3)).toEqual(['answered', 'step_finished', 'run_finished'])
  })
})
