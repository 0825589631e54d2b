import {
  ActivityFailure,
  condition,
  continueAsNew,
  scheduleActivity,
  TimeoutFailure,
} from '@temporalio/workflow'
import {
  holdTargetActivity,
  type TargetRequest,
  type TargetUse,
  wantTargetSignal,
} from '../../limits/messages.ts'
import { followDeployments, hasLongHistory } from '../follow-deployments.ts'
import { onSignal } from '../handlers.ts'

/** A lock of more events than this continues as a new execution. */
const mostEvents = 2000
/** A lock that no process has asked for this long ends. */
const idleMs = 30_000
/** A process that does not accept within this time is passed over: it may have died. */
const takeWithinMs = 2000
/** The same for processes, or a server, that were slower before. */
const longestTakeMs = 30_000
/** A process that was silent for this long has lost the target. */
const heartbeatMs = 10_000
/** The longest time that a process holds the target. */
const longestUse = '15 minutes'
/**
 * A process that was silent for this many of its intervals may have died. It keeps its place, but those behind it go
 * first: otherwise processes that died in line would cost the others `takeWithinMs` each.
 */
const lateIntervals = 1.2
/** A process that was silent for this many of its intervals loses its place. */
const goneIntervals = 3
/** How long a new lock waits for a process that reports that it uses the target. */
const graceMs = 2000

/** A request, and when it was made last. */
interface Waiter extends TargetRequest {
  readonly askedMs: number
}

/**
 * Grants one target to one process at a time, in the order of their requests. A grant is an activity on the task queue of
 * the process: it lasts as long as the process uses the target, and the server ends it when the process dies.
 */
export async function opsbookTargetLock(target: string, before?: readonly Waiter[]): Promise<void> {
  let line = [...(before ?? [])]
  let current: Waiter | undefined
  let takeMs = takeWithinMs
  let passedBy: Waiter | undefined
  /** The first request is a repeated one: an earlier lock was terminated, and a process may hold the target. */
  let mayBeHeld: boolean | undefined = before ? false : undefined
  onSignal<[TargetRequest]>(wantTargetSignal, (request) => {
    const { process, use, isAgain = false, isHeld } = request
    mayBeHeld ??= isAgain
    if (passedBy?.process === process && passedBy.use === use) {
      // The process is alive, and needs more time.
      passedBy = undefined
      takeMs = Math.min(2 * takeMs, longestTakeMs)
    }
    if (current?.process === process && current.use >= use && !isHeld) return
    const waiter = { ...request, askedMs: Date.now() }
    const at = line.findIndex((other) => other.process === process)
    if (isHeld) line = [waiter, ...line.filter((_, index) => index !== at)]
    else if (at < 0) line.push(waiter)
    else line[at] = waiter
  })
  const isHeld = (): boolean => line[0]?.isHeld === true
  while (await condition(() => line.length > 0, idleMs)) {
    if (mayBeHeld) await condition(isHeld, graceMs)
    mayBeHeld = false
    line = line.filter((one) => hasAskedWithin(goneIntervals, one))
    const prompt = line.findIndex((one) => one.isHeld || hasAskedWithin(lateIntervals, one))
    const [next] = line.splice(Math.max(prompt, 0), 1)
    if (!next) continue
    current = next
    const end = await holdUse(next, target, takeMs)
    mayBeHeld = end === 'silent'
    if (end === 'not taken') passedBy = next
    else takeMs = Math.max(takeWithinMs, 0.9 * takeMs)
    current = undefined
    if (!mayBeHeld && hasLongHistory(mostEvents)) await continueAsNew<typeof opsbookTargetLock>(target, line)
  }
}

followDeployments(opsbookTargetLock)

function hasAskedWithin(intervals: number, { askedMs, againInMs }: Waiter): boolean {
  return Date.now() - askedMs <= intervals * againInMs
}

/**
 * Resolves when the process no longer holds the target. `silent`: its heartbeats stopped, and it may still use the
 * target.
 */
async function holdUse(
  { process, use, isHeld }: TargetRequest,
  target: string,
  takeMs: number,
): Promise<'over' | 'silent' | 'not taken'> {
  const order: TargetUse = { target, use }
  try {
    await scheduleActivity(holdTargetActivity, [order], {
      taskQueue: process,
      scheduleToStartTimeout: takeMs,
      startToCloseTimeout: longestUse,
      heartbeatTimeout: heartbeatMs,
      retry: { maximumAttempts: 1 },
    })
    return 'over'
  } catch (thrown) {
    const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown
    if (!(cause instanceof TimeoutFailure)) return 'over'
    return cause.timeoutType === 'SCHEDULE_TO_START' && isHeld !== true ? 'not taken' : 'silent'
  }
}
