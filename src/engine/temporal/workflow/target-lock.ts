import {
  ActivityFailure,
  condition,
  continueAsNew,
  defineSignal,
  scheduleActivity,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import {
  holdTargetActivity,
  type TargetRequest,
  type TargetTurn,
  wantTargetSignal,
} from '../limiter/messages.ts'
import { followDeployments } from './follow-deployments.ts'

/** A lock of more events than this continues as a new execution. */
const mostEvents = 2000
/** A lock that no process has asked for this long ends. */
const idleMs = 30_000
/** A process that does not take its turn within this time has died, and is passed by. */
const takeWithinMs = 2000
/** A process that was silent for this long has lost the target. */
const heartbeatMs = 10_000
/** The longest turn. */
const longestTurn = '15 minutes'
/** How long a process has to say that it uses a target which the lock believes to be free. */
const graceMs = 2000

/** A request, and when it was made last. */
interface Waiter extends TargetRequest {
  readonly askedMs: number
}

/**
 * Lets processes use one target in turns, in the order in which they ask. A turn is an activity on the task queue of its
 * process: it lasts as long as the process uses the target, and the server ends it when the process dies.
 */
export async function opsbookTargetLock(target: string, before?: readonly Waiter[]): Promise<void> {
  let line = [...(before ?? [])]
  let current: Waiter | undefined
  /** The first request was made before: an earlier lock of this target was ended, and may have had a holder. */
  let mayBeHeld: boolean | undefined = before ? false : undefined
  setHandler(defineSignal<[TargetRequest]>(wantTargetSignal), (request) => {
    const { process, turn, isAgain = false, isHeld } = request
    mayBeHeld ??= isAgain
    if (current?.process === process && current.turn >= turn && !isHeld) return
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
    const next = line.shift()
    if (!next || Date.now() - next.askedMs > 3 * next.againInMs) continue
    current = next
    mayBeHeld = await isLost(next, target)
    current = undefined
    const { continueAsNewSuggested, historyLength } = workflowInfo()
    if (mayBeHeld || !(continueAsNewSuggested || historyLength > mostEvents)) continue
    await continueAsNew<typeof opsbookTargetLock>(target, line)
  }
}

followDeployments(opsbookTargetLock)

/** Lasts as long as the turn. Whether the process went silent in the middle of it: it may use the target still. */
async function isLost({ process, turn, isHeld }: TargetRequest, target: string): Promise<boolean> {
  const order: TargetTurn = { target, turn }
  try {
    await scheduleActivity(holdTargetActivity, [order], {
      taskQueue: process,
      scheduleToStartTimeout: takeWithinMs,
      startToCloseTimeout: longestTurn,
      heartbeatTimeout: heartbeatMs,
      retry: { maximumAttempts: 1 },
    })
    return false
  } catch (thrown) {
    const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown
    return cause instanceof TimeoutFailure && (cause.timeoutType !== 'SCHEDULE_TO_START' || isHeld === true)
  }
}
