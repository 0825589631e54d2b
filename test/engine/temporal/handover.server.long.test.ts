import type { ChildProcess } from 'node:child_process'
import { on, once } from 'node:events'
import type { JsonObject } from 'opsbook'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { decodePayload } from '../../../src/engine/temporal/client/read-history.ts'
import { forkProgram, killProcess } from './support/fork-program.ts'
import { openStage, type Stage } from './support/open-stage.ts'
import { openWay } from './support/open-way.ts'

const create = {
  id: 'make',
  uses: 'rum/application/create',
  with: { application_name: '${{ run.id }}', type: 'browser', team_id: 0 },
}

let stage: Stage | undefined
let child: ChildProcess | undefined

afterEach(async () => {
  if (child) await killProcess(child)
  await stage?.close()
})

/** A stage without a worker: the first worker that starts gets the work. */
async function openEmptyStage(): Promise<Stage> {
  stage = await openStage(inject('temporalAddress'))
  await stage.stopWorker()
  return stage
}

/** A worker in a process of its own, which never gets as far as sending. */
async function openStuckWorker(
  { settings, sandboxUrl, dataDir }: Stage,
  address: string = settings.address,
): Promise<ChildProcess> {
  child = await forkProgram('stuck-worker', [address, settings.taskQueue, sandboxUrl, dataDir])
  return child
}

/** How many creates have reached the service. */
async function created(sandboxUrl: string): Promise<number> {
  const response = await fetch(`${sandboxUrl}/_sandbox/requests?limit=1000`)
  const { requests } = (await response.json()) as { requests: readonly object[] }
  return requests.filter((request) => JSON.stringify(request).includes('application/create')).length
}

describe('a create whose worker is lost', () => {
  it('is made by another worker when its request was not announced: nothing was sent', async () => {
    const open = await openEmptyStage()
    const stuck = await openStuckWorker(open)
    const waits = once(stuck, 'message')
    const { result } = await open.start(open.compile({ steps: [create] }))
    await waits
    stuck.kill('SIGKILL')
    const other = await open.startWorker()
    expect(await result).toMatchObject({ status: 'succeeded' })
    expect(await created(open.sandboxUrl)).toBe(1)
    await other.stop()
  }, 90_000)

  it('is not sent by the lost worker any more, which comes back and has everything it needs', async () => {
    const open = await openEmptyStage()
    const way = await openWay(open.settings.address)
    const stuck = await openStuckWorker(open, way.address)
    const waits = once(stuck, 'message')
    const { result } = await open.start(open.compile({ steps: [create] }))
    await waits
    stuck.kill('SIGSTOP')
    // The server would give the attempt to the requests for work that it has left behind, one after the other.
    way.cut()
    const other = await open.startWorker()
    expect(await result).toMatchObject({ status: 'succeeded' })
    stuck.send('let go')
    const said = on(stuck, 'message')
    stuck.kill('SIGCONT')
    for await (const [message] of said) {
      // The server may have given it the attempt again while it was paused.
      if (message === 'waits') continue
      expect(message).toBe('Cancelled, not sent')
      break
    }
    expect(await created(open.sandboxUrl)).toBe(1)
    await other.stop()
  }, 90_000)

  it('has an unknown outcome when its request was announced', async () => {
    const open = await openEmptyStage()
    // The service takes the request, and does not answer.
    const control = await fetch(`${open.sandboxUrl}/_sandbox/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ operation: 'E2', delay_ms: 60_000 }]),
    })
    expect(control.ok).toBe(true)
    const stuck = await openStuckWorker(open)
    stuck.send('let go')
    const { runId, result } = await open.start(open.compile({ steps: [create] }), { lostCreateWaitMs: 1 })
    await expect.poll(() => created(open.sandboxUrl)).toBe(1)
    // The server has later heartbeats, and still knows.
    const heartbeats = new Set<string>()
    await expect
      .poll(async () => {
        const { raw } = await open.client.workflow.getHandle(runId).describe()
        const { lastHeartbeatTime, heartbeatDetails } = raw.pendingActivities?.[0] ?? {}
        heartbeats.add(JSON.stringify(lastHeartbeatTime))
        expect(await decodePayload(open.client, runId, heartbeatDetails)).toEqual({ isAnnounced: true })
        return heartbeats.size
      })
      .toBeGreaterThanOrEqual(3)
    stuck.kill('SIGKILL')
    const other = await open.startWorker()
    expect(await result).toMatchObject({ status: 'unknown', error: { code: 'OutcomeUnknown' } })
    await other.stop()
  }, 120_000)
})

it('a create that waits for longer than a heartbeat may is sent by its worker', async () => {
  const open = await openEmptyStage()
  const other = await open.startWorker('runs')
  const stuck = await openStuckWorker(open)
  const waits = once(stuck, 'message')
  const { runId, result } = await open.start(open.compile({ steps: [create] }))
  await waits
  const handle = open.client.workflow.getHandle(runId)
  // The SDK has given the attempt up by then, since it sees no heartbeats.
  await expect
    .poll(async () => {
      const { lastHeartbeatTime, lastStartedTime } =
        (await handle.describe()).raw.pendingActivities?.[0] ?? {}
      return Number(lastHeartbeatTime?.seconds ?? 0) - Number(lastStartedTime?.seconds ?? 0)
    })
    .toBeGreaterThan(17)
  stuck.send('let go')
  expect(await result).toMatchObject({ status: 'succeeded' })
  expect(await created(open.sandboxUrl)).toBe(1)
  const { events } = await handle.fetchHistory()
  expect(events?.filter((event) => event.activityTaskScheduledEventAttributes)).toHaveLength(1)
  await other.stop()
}, 120_000)

it('a create costs as many events as a read', async () => {
  const open = await openStage(inject('temporalAddress'))
  stage = open
  const look = {
    id: 'look',
    uses: 'rum/application/infos',
    with: { application_ids: ['CheckoutWebSandboxApp1'] },
  }
  const eventsOf = async (step: JsonObject): Promise<number | undefined> => {
    const { runId, result } = await open.start(open.compile({ steps: [step] }))
    expect(await result).toMatchObject({ status: 'succeeded' })
    const { events } = await open.client.workflow.getHandle(runId).fetchHistory()
    return events?.length
  }
  expect(await eventsOf(create)).toBe(await eventsOf(look))
})
