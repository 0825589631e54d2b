import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  connectClient,
  openTemporalLimits,
  type StartedWorker,
  searchAttributes,
  startWorker,
  type TemporalLimits,
} from '../../../src/engine/temporal/index.ts'
import { targetLockId } from '../../../src/engine/temporal/limits/index.ts'
import type { TargetRequest } from '../../../src/engine/temporal/limits/messages.ts'
import { type DevServer, startDevServer } from '../../../src/engine/temporal/server/index.ts'

const taskQueue = 'turns'
const folder = mkdtempSync(join(tmpdir(), 'opsbook-turns-'))
let server: DevServer
let client: Client
let worker: StartedWorker
const opened: TemporalLimits[] = []
const children: ChildProcess[] = []

/** The same server again: what it knows is in its file, and its address stays. */
function openServer(port?: number): Promise<DevServer> {
  const databaseFile = join(folder, 'temporal.db')
  return startDevServer({ databaseFile, searchAttributes, ...(port === undefined ? {} : { port }) })
}

async function joinLimits(): Promise<TemporalLimits> {
  const limits = await openTemporalLimits({ address: server.address, namespace: 'default', taskQueue })
  opened.push(limits)
  return limits
}

/** Waits for a turn; `free` is there once it has come. */
function waitFor(limits: TemporalLimits, target: string): { free?: () => void } {
  const turn: { free?: () => void } = {}
  void limits.targetLocks.acquire(target).then((free) => {
    turn.free = free
  })
  return turn
}

async function openWaiting(count: number, target: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('support/limits-process.ts', import.meta.url))
  const child = fork(program, [server.address, taskQueue, String(count), target], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  children.push(child)
  await once(child, 'message')
  return child
}

/** What the lock of a target heard from a process, or gave it, by the clock of the lock. */
interface Told {
  readonly what: 'asked' | 'granted'
  readonly process: string
  readonly atMs: number
}

/** All that the history of a lock has, in its order: what arrives together is heard together. */
async function toldBy(target: string): Promise<readonly Told[]> {
  const { events } = await client.workflow.getHandle(targetLockId(taskQueue, target)).fetchHistory()
  const told: Told[] = []
  const unheard: string[] = []
  let atMs = 0
  for (const event of events ?? []) {
    const signal = event.workflowExecutionSignaledEventAttributes
    const grant = event.activityTaskScheduledEventAttributes
    if (signal) {
      const request = Buffer.from(signal.input?.payloads?.[0]?.data ?? []).toString()
      unheard.push((JSON.parse(request) as TargetRequest).process)
    }
    if (event.workflowTaskStartedEventAttributes)
      atMs = Number(event.eventTime?.seconds) * 1000 + Math.floor(Number(event.eventTime?.nanos) / 1e6)
    if (event.workflowTaskCompletedEventAttributes)
      for (const process of unheard.splice(0)) told.push({ what: 'asked', process, atMs })
    if (grant) told.push({ what: 'granted', process: grant.taskQueue?.name ?? '', atMs })
  }
  for (const process of unheard) told.push({ what: 'asked', process, atMs: Number.POSITIVE_INFINITY })
  return told
}

/** How many processes have asked the lock of a target. */
async function askedBy(target: string): Promise<number> {
  const asked = (await toldBy(target)).filter(({ what }) => what === 'asked')
  return new Set(asked.map(({ process }) => process)).size
}

/** Whether a process has the target, as the server sees it. */
async function isHeld(target: string): Promise<boolean> {
  const { raw } = await client.workflow.getHandle(targetLockId(taskQueue, target)).describe()
  return raw.pendingActivities?.some(({ lastStartedTime }) => lastStartedTime) ?? false
}

beforeAll(async () => {
  server = await openServer()
  const settings = { address: server.address, namespace: 'default', taskQueue }
  client = await connectClient(settings)
  worker = await startWorker({
    ...settings,
    actions: [],
    connect: () => Promise.reject(new Error('nothing is called')),
    secrets: { resolve: async () => '' },
    checkInputs: () => ({ inputs: {}, problems: [] }),
    dataDir: folder,
  })
})

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(opened.map((limits) => limits.close()))
  await worker.stop()
  await client.connection.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const patience = { timeout: 40_000, interval: 50 }

describe('a process that waits for a target', () => {
  it('has its turn after an outage of the server that was longer than any lease', async () => {
    const [one, other, third] = await Promise.all([joinLimits(), joinLimits(), joinLimits()])
    const free = await one.targetLocks.acquire('outage')
    const turn = waitFor(other, 'outage')
    await expect.poll(() => askedBy('outage'), patience).toBe(2)
    const port = Number(server.address.split(':')[1])
    process.kill(server.processId as number, 'SIGKILL')
    await server.ended
    // The leases that have to run out are those on the server's record.
    await sleep(12_000)
    server = await openServer(port)
    free()
    await expect.poll(() => turn.free, patience).toBeDefined()
    const last = waitFor(third, 'outage')
    turn.free?.()
    await expect.poll(() => last.free, patience).toBeDefined()
    last.free?.()
  }, 120_000)

  it('has its turn where the lock was terminated, and not before the one that uses the target is done', async () => {
    const [one, other] = await Promise.all([joinLimits(), joinLimits()])
    const free = await one.targetLocks.acquire('terminated')
    const turn = waitFor(other, 'terminated')
    await expect.poll(() => askedBy('terminated'), patience).toBe(2)
    await client.workflow.getHandle(targetLockId(taskQueue, 'terminated')).terminate()
    await expect.poll(() => isHeld('terminated'), patience).toBe(true)
    await expect.poll(() => askedBy('terminated'), patience).toBe(2)
    expect(turn.free).toBeUndefined()
    free()
    await expect.poll(() => turn.free, patience).toBeDefined()
    turn.free?.()
  }, 120_000)

  // The lock passes a process by that does not take its turn, and one that has not asked for a while.
  it.each([0, 8000])(
    'is passed by while it is paused (for %i ms before its turn), and has its turn afterwards',
    async (pausedMs) => {
      const target = `paused-${pausedMs}`
      const [one, other] = await Promise.all([joinLimits(), joinLimits()])
      const free = await one.targetLocks.acquire(target)
      const paused = await openWaiting(1, target)
      await expect.poll(() => askedBy(target), patience).toBe(2)
      paused.kill('SIGSTOP')
      await sleep(pausedMs)
      free()
      const turn = waitFor(other, target)
      await expect.poll(() => turn.free, patience).toBeDefined()
      const said = once(paused, 'message')
      paused.kill('SIGCONT')
      turn.free?.()
      await said
    },
    120_000,
  )

  it('goes before ten others that were killed while they waited, once their requests are late', async () => {
    const [one, other] = await Promise.all([joinLimits(), joinLimits()])
    const free = await one.targetLocks.acquire('killed')
    const killed = await openWaiting(10, 'killed')
    await expect.poll(() => askedBy('killed'), patience).toBe(11)
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    const turn = waitFor(other, 'killed')
    await expect.poll(() => askedBy('killed'), patience).toBe(12)
    free()
    await expect.poll(() => turn.free, patience).toBeDefined()
    const told = await toldBy('killed')
    turn.free?.()
    const isLate = (process: string, { atMs }: Told): boolean => {
      const last = told.findLast((one) => one.what === 'asked' && one.process === process && one.atMs <= atMs)
      return last === undefined || atMs - last.atMs > 3000
    }
    const grants = told.filter(({ what }) => what === 'granted')
    const living = grants.at(-1)?.process ?? ''
    const wrong = grants
      .slice(1, -1)
      .filter((grant) => isLate(grant.process, grant) && !isLate(living, grant))
    expect(wrong).toEqual([])
  }, 120_000)

  it('has its turn after the death of the one that used the target', async () => {
    await openWaiting(1, 'orphaned')
    await expect.poll(() => isHeld('orphaned').catch(() => false), patience).toBe(true)
    const turn = waitFor(await joinLimits(), 'orphaned')
    children.at(-1)?.kill('SIGKILL')
    await expect.poll(() => turn.free, patience).toBeDefined()
    turn.free?.()
  }, 120_000)
})

describe('twelve processes at one rate window', () => {
  const windows = [{ max: 2, lengthMs: 200 }]

  it('are all served, though the server takes no more than ten updates of one workflow at a time', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, joinLimits))
    const leases = all.map(({ budget }) => budget.acquire('crowded', windows))
    for (const lease of leases) void lease.then((one) => one.cancel())
    await Promise.all(leases)
  }, 60_000)

  it('are served by another limiter where theirs was terminated', async () => {
    const [one, other] = await Promise.all([joinLimits(), joinLimits()])
    const slow = [{ max: 1, lengthMs: 4000 }]
    const first = await one.budget.acquire('lost', slow)
    first.sent()
    const second = other.budget.acquire('lost', slow)
    const limiter = client.workflow.getHandle(`opsbook-limits/${taskQueue}/lost`)
    await limiter.terminate()
    const lease = await second
    lease.cancel()
    first.done()
  }, 60_000)
})
