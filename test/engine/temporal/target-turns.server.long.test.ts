import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openTemporalLimits, type TemporalLimits } from '../../../src/engine/temporal/index.ts'
import { targetLockId } from '../../../src/engine/temporal/limits/index.ts'
import type { TargetRequest } from '../../../src/engine/temporal/limits/messages.ts'
import { forkProgram, killProcess } from './support/fork-program.ts'
import { openWay } from './support/open-way.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const stage = stageOfFile()

/** What a process of its own would have. */
async function joinLimits(address: string = stage.settings.address): Promise<TemporalLimits> {
  const limits = await openTemporalLimits({ ...stage.settings, address })
  onTestFinished(() => limits.close())
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
  const { address, taskQueue } = stage.settings
  const child = await forkProgram('limits-process', [address, taskQueue, String(count), target])
  onTestFinished(() => killProcess(child))
  return child
}

const lockOf = (target: string) => stage.client.workflow.getHandle(targetLockId(stage.taskQueue, target))

/** How many processes have asked the lock of a target. */
async function askedBy(target: string): Promise<number> {
  const { events } = await lockOf(target).fetchHistory()
  const asked = (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) => {
    const [request] = signal?.input?.payloads ?? []
    return request ? [(JSON.parse(Buffer.from(request.data ?? []).toString()) as TargetRequest).process] : []
  })
  return new Set(asked).size
}

/** Whether the process that had the target was silent until the server took the target from it. */
async function isTaken(target: string): Promise<boolean> {
  const { events } = await lockOf(target).fetchHistory()
  return (events ?? []).some((event) => event.activityTaskTimedOutEventAttributes)
}

/** Whether a process has the target, as the server sees it. */
async function isHeld(target: string): Promise<boolean> {
  const { raw } = await lockOf(target).describe()
  return raw.pendingActivities?.some(({ lastStartedTime }) => lastStartedTime) ?? false
}

const patience = { timeout: 100_000 }

describe('a process that waits for a target', { timeout: 240_000 }, () => {
  it('has its turn after an outage of the server that was longer than any lease', async () => {
    const way = await openWay(stage.settings.address)
    const [one, other, third] = await Promise.all([
      joinLimits(way.address),
      joinLimits(way.address),
      joinLimits(way.address),
    ])
    const free = await one.targetLocks.acquire('outage')
    const turn = waitFor(other, 'outage')
    await expect.poll(() => askedBy('outage'), patience).toBe(2)
    way.close(true)
    await expect.poll(() => isTaken('outage'), patience).toBe(true)
    way.close(false)
    free()
    await expect.poll(() => turn.free, patience).toBeDefined()
    const last = waitFor(third, 'outage')
    turn.free?.()
    await expect.poll(() => last.free, patience).toBeDefined()
    last.free?.()
  })

  it('has its turn where the lock was terminated, and not before the one that uses the target is done', async () => {
    const [one, other] = await Promise.all([joinLimits(), joinLimits()])
    const free = await one.targetLocks.acquire('terminated')
    const turn = waitFor(other, 'terminated')
    await expect.poll(() => askedBy('terminated'), patience).toBe(2)
    await lockOf('terminated').terminate()
    await expect.poll(() => isHeld('terminated'), patience).toBe(true)
    await expect.poll(() => askedBy('terminated'), patience).toBe(2)
    expect(turn.free).toBeUndefined()
    free()
    await expect.poll(() => turn.free, patience).toBeDefined()
    turn.free?.()
  })

  it('is passed by while it is paused, and has its turn afterwards', async () => {
    const [one, other] = await Promise.all([joinLimits(), joinLimits()])
    const free = await one.targetLocks.acquire('paused')
    const paused = await openWaiting(1, 'paused')
    await expect.poll(() => askedBy('paused'), patience).toBe(2)
    paused.kill('SIGSTOP')
    free()
    const turn = waitFor(other, 'paused')
    await expect.poll(() => turn.free, patience).toBeDefined()
    const said = once(paused, 'message')
    paused.kill('SIGCONT')
    turn.free?.()
    await said
  })

  it('has its turn behind ten others that were killed while they waited', async () => {
    const [one, other] = await Promise.all([joinLimits(), joinLimits()])
    const free = await one.targetLocks.acquire('killed')
    const killed = await openWaiting(10, 'killed')
    await expect.poll(() => askedBy('killed'), patience).toBe(11)
    await killProcess(killed)
    const turn = waitFor(other, 'killed')
    await expect.poll(() => askedBy('killed'), patience).toBe(12)
    free()
    await expect.poll(() => turn.free, patience).toBeDefined()
    turn.free?.()
  })

  it('has its turn after the death of the one that used the target', async () => {
    const holder = await openWaiting(1, 'orphaned')
    await expect.poll(() => isHeld('orphaned').catch(() => false), patience).toBe(true)
    const turn = waitFor(await joinLimits(), 'orphaned')
    await killProcess(holder)
    await expect.poll(() => turn.free, patience).toBeDefined()
    turn.free?.()
  })
})

describe('twelve processes at one rate window', () => {
  const windows = [{ max: 2, lengthMs: 200 }]

  it('are all served, though the server takes no more than ten updates of one workflow at a time', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => joinLimits()))
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
    const limiter = stage.client.workflow.getHandle(`opsbook-limits/${stage.taskQueue}/lost`)
    await limiter.terminate()
    const lease = await second
    lease.cancel()
    first.done()
  }, 60_000)
})
