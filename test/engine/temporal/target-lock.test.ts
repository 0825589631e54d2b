import { TimeoutFailure } from '@temporalio/common'
import { describe, expect, it } from 'vitest'
import {
  holdTargetActivity,
  type TargetRequest,
  targetLockType,
  wantTargetSignal,
} from '../../../src/engine/temporal/limits/messages.ts'
import { createEngineClock } from '../conformance/engine-clock.ts'
import { encode, encodeFailure } from './isolate/payloads.ts'
import { playWorkflow } from './isolate/play-workflow.ts'
import type { Resolution, ScheduledActivity } from './isolate/run-activity.ts'
import { isolateOfFile } from './support/isolate-of-file.ts'

const isolate = isolateOfFile()

const startMs = Date.parse('2026-11-22T09:00:00Z')

/** What a process says: at this millisecond, `A`, or `A again`, or `A rarely`, who asks again after long only, or `A holds`. */
type Said = readonly [atMs: number, what: string]
/** How a process takes a turn: uses the target for so long, does not take it, or goes silent in the middle of it. */
type Taken = number | 'not taken' | 'silent'

interface LockCase {
  readonly name: string
  readonly said: readonly Said[]
  /** The turns of a process, in their order. */
  readonly takes: Readonly<Record<string, readonly Taken[]>>
  /** The turns that were given, and when. */
  readonly turns: readonly string[]
}

const cases: readonly LockCase[] = [
  {
    name: 'turns are given in the order in which processes ask',
    said: [
      [0, 'A'],
      [10, 'B'],
      [20, 'C'],
    ],
    takes: { A: [100], B: [100], C: [100] },
    turns: ['0 A', '100 B', '200 C'],
  },
  {
    name: 'a process that asks for its next turn while it has one comes after those who wait',
    said: [
      [0, 'A'],
      [10, 'B'],
      [20, 'A'],
    ],
    takes: { A: [100, 100], B: [100] },
    turns: ['0 A', '100 B', '200 A'],
  },
  {
    name: 'to ask again for the turn that one waits for, or has, changes nothing',
    said: [
      [0, 'A'],
      [10, 'B'],
      [20, 'A again'],
      [30, 'B again'],
    ],
    takes: { A: [100], B: [100] },
    turns: ['0 A', '100 B'],
  },
  {
    name: 'a process that does not take its turn is passed by, and has one when it asks again',
    said: [
      [0, 'A'],
      [10, 'B'],
      [20, 'C'],
      [2300, 'B again'],
    ],
    takes: { A: [100], B: ['not taken', 100], C: [500] },
    turns: ['0 A', '100 B', '2100 C', '2600 B'],
  },
  {
    name: 'a process that was too slow to take its turn, and lives, has more time the next time',
    said: [
      [0, 'A'],
      [10, 'B'],
      [2500, 'A again'],
      [3100, 'C'],
    ],
    takes: { A: ['not taken', 'not taken'], B: [1000], C: [100] },
    turns: ['0 A', '2000 B', '3000 A', '6600 C'],
  },
  {
    name: 'processes that died in line are passed over twice, then those behind them come first',
    said: [
      [0, 'X'],
      [10, 'Y'],
      [20, 'Z'],
      [30, 'A'],
      [40, 'B'],
      [2530, 'A again'],
      [2540, 'B again'],
    ],
    takes: { X: ['not taken'], Y: ['not taken'], Z: ['not taken'], A: [100], B: [1000] },
    turns: ['0 X', '2000 Y', '4000 A', '4100 B', '5100 Z'],
  },
  {
    name: 'a process whose request is late keeps its place, and has its turn once it asks again',
    said: [
      [0, 'A'],
      [10, 'B'],
      [20, 'C'],
      [30, 'D'],
      [2520, 'C again'],
      [2530, 'D again'],
      [4500, 'B again'],
    ],
    takes: { A: [4000], B: [100], C: [1000], D: [100] },
    turns: ['0 A', '4000 C', '5000 B', '5100 D'],
  },
  {
    name: 'a process that uses the target has it before those who wait, late or not',
    said: [
      [0, 'A'],
      [10, 'B'],
      [1000, 'C holds'],
      [2510, 'B again'],
    ],
    takes: { A: [5000], B: [100], C: [1000] },
    turns: ['0 A', '5000 C', '6000 B'],
  },
  {
    name: 'a process without a recent request is passed over without a grant, and gets the target when it asks again',
    said: [
      [0, 'A'],
      [10, 'B'],
      [8900, 'C'],
      [9100, 'B again'],
    ],
    takes: { A: [9000], B: [100], C: [500] },
    turns: ['0 A', '9000 C', '9500 B'],
  },
  {
    name: 'the same where no other process waits',
    said: [
      [0, 'A'],
      [10, 'B'],
      [9100, 'B again'],
    ],
    takes: { A: [9000], B: [100] },
    turns: ['0 A', '9100 B'],
  },
  {
    name: 'a process that has said that it asks rarely keeps its place for as long',
    said: [
      [0, 'A'],
      [10, 'B rarely'],
      [8900, 'C'],
    ],
    takes: { A: [9000], B: [100], C: [500] },
    turns: ['0 A', '9000 B', '9100 C'],
  },
  {
    name: 'a process that was silent, and uses the target still, has it before those who wait',
    said: [
      [0, 'A'],
      [4000, 'B'],
      [6500, 'B again'],
      [9000, 'B again'],
      [10_500, 'A holds'],
      [11_500, 'B again'],
    ],
    takes: { A: ['silent', 1000], B: [100] },
    turns: ['0 A', '10500 A', '11500 B'],
  },
  {
    name: 'a process that died silently delays the others by the grace time at most',
    said: [
      [0, 'A'],
      [9000, 'B'],
      [11_500, 'B again'],
    ],
    takes: { A: ['silent'], B: [100] },
    turns: ['0 A', '12000 B'],
  },
  {
    name: 'a lock that starts with a repeated request waits for a report of the process that uses the target',
    said: [
      [0, 'B again'],
      [1500, 'A holds'],
    ],
    takes: { A: [100], B: [100] },
    turns: ['1500 A', '1600 B'],
  },
]

describe('the lock of a target', () => {
  it.each(cases)('$name', async ({ said, takes, turns }) => {
    const clock = createEngineClock(startMs)
    const given: string[] = []
    const taken = new Map<string, number>()
    const take = async (activity: ScheduledActivity): Promise<Resolution> => {
      const { activityType, taskQueue, scheduleToStartTimeout } = activity
      expect(activityType).toBe(holdTargetActivity)
      const process = taskQueue as string
      given.push(`${clock.now() - startMs} ${process}`)
      const turn = taken.get(process) ?? 0
      taken.set(process, turn + 1)
      const how = takes[process]?.[turn] ?? 0
      const takeMs =
        Number(scheduleToStartTimeout?.seconds) * 1000 + Number(scheduleToStartTimeout?.nanos) / 1e6
      await clock.waitUntil(
        clock.now() + (typeof how === 'number' ? how : how === 'silent' ? 10_000 : takeMs),
      )
      if (typeof how === 'number') return { completed: { result: encode(null) } }
      const type = how === 'silent' ? 'HEARTBEAT' : 'SCHEDULE_TO_START'
      return timedOut(type)
    }
    const asked = new Map<string, number>()
    const work = async (): Promise<void> => {
      const lock = await playWorkflow({
        isolate,
        clock,
        workflowType: targetLockType,
        workflowId: 'lock',
        input: 'target',
        runActivity: take,
        runLocalActivity: take,
      })
      for (const [atMs, what] of said) {
        await clock.waitUntil(startMs + atMs)
        const [process = '', how] = what.split(' ')
        const isFirst = how === undefined || how === 'rarely'
        const turn = isFirst ? (asked.get(process) ?? 0) + 1 : (asked.get(process) ?? 1)
        asked.set(process, turn)
        const request: TargetRequest = {
          process,
          use: turn,
          againInMs: how === 'rarely' ? 10_000 : 2500,
          ...(how === 'again' ? { isAgain: true } : {}),
          ...(how === 'holds' ? { isHeld: true } : {}),
        }
        await lock.signal(wantTargetSignal, request)
      }
      // It ends when no process asks any more.
      await lock.result
      await lock.dispose()
    }
    await clock.run(work())
    expect(given).toEqual(turns)
  })
})

function timedOut(type: 'HEARTBEAT' | 'SCHEDULE_TO_START'): Resolution {
  const activityFailureInfo = { activityType: { name: holdTargetActivity }, activityId: '1' }
  const cause = encodeFailure(new TimeoutFailure('timed out', undefined, type))
  return { failed: { failure: { message: 'Activity task timed out', cause, activityFailureInfo } } }
}
