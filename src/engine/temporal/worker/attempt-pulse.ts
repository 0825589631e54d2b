import type { Context } from '@temporalio/activity'
import { type CancellationSource, createCancellation } from '../../../core/host/index.ts'
import type { Clock } from '../../attempt/index.ts'
import { longestWaitMs } from '../attempt-times.ts'
import { type AttemptHeartbeat, type AttemptOrder, type WaitNotice, waitSignal } from '../messages.ts'

/** Reports to the server that an attempt is alive, and what it waits for. */
export interface AttemptPulse {
  /** The attempt waits for this from now on; undefined: for nothing. */
  waitFor(wait: Omit<NonNullable<AttemptHeartbeat['waitsFor']>, 'sinceMs'> | undefined): void
  /** The attempt was ended since it has waited for too long. */
  readonly hasWaitedTooLong: boolean
  stop(): void
}

/** The interval of the first heartbeats. The answer to a heartbeat carries the cancellation of the attempt. */
const heartbeatMs = 1000
/** After ten heartbeats every third one is enough: hundreds of waiting attempts would keep a server busy. */
const quickBeats = 10
const slowEvery = 3

/**
 * Starts to report. `giveUp` is called once when the attempt has waited for too long. `earlierMs`: since when it has
 * waited on other workers.
 */
export function startPulse(
  { heartbeat }: Pick<Context, 'heartbeat'>,
  giveUp: () => void,
  earlierMs?: number,
): AttemptPulse {
  let waitsFor: AttemptHeartbeat['waitsFor']
  let beganMs = 0
  let hasWaitedTooLong = false
  let beats = 0
  const beat = (): void => {
    const isTooLong = waitsFor !== undefined && Date.now() - beganMs >= longestWaitMs
    if (isTooLong && !hasWaitedTooLong) {
      hasWaitedTooLong = true
      giveUp()
    }
    beats++
    if (beats > quickBeats && beats % slowEvery !== 0) return
    if (waitsFor) heartbeat({ waitsFor } satisfies AttemptHeartbeat)
    else heartbeat()
  }
  const timer = setInterval(beat, heartbeatMs)
  return {
    waitFor(wait) {
      if (wait && !waitsFor) beganMs = Date.now()
      waitsFor = wait && { ...wait, sinceMs: earlierMs ?? beganMs }
    },
    get hasWaitedTooLong() {
      return hasWaitedTooLong
    },
    stop: () => clearInterval(timer),
  }
}

/** Reports to the workflow of an attempt while the attempt waits for a permit or for its target. */
export interface WaitReporter {
  begins(wait: NonNullable<WaitNotice['wait']>): void
  ends(): void
}

/** Reports waits of at least `reportsWaitsFromMs`. The attempt continues also when a signal does not arrive. */
export function createWaitReporter(
  { request, reportsWaitsFromMs }: Pick<AttemptOrder, 'request' | 'reportsWaitsFromMs'>,
  context: Pick<Context, 'client' | 'info'>,
  clock: Clock,
): WaitReporter {
  const { path, attempt } = request
  let pending: CancellationSource | undefined
  let isReported = false
  let line: Promise<unknown> = Promise.resolve()

  const report = (wait?: WaitNotice['wait']): void => {
    isReported = wait !== undefined
    const notice: WaitNotice = { path, attempt, ...(wait === undefined ? {} : { wait }) }
    line = line.then(() => signal(context, notice)).catch(() => {})
  }
  const reportOnceLong = async (wait: NonNullable<WaitNotice['wait']>): Promise<void> => {
    const over = createCancellation()
    pending = over
    await clock.waitUntil(clock.now() + reportsWaitsFromMs, over)
    if (!over.reason) report(wait)
  }
  const forget = (): void => pending?.cancel({ code: 'Cancelled', message: 'the wait is over' })
  return {
    begins(wait) {
      forget()
      const isLong = wait.until !== undefined && wait.until - clock.now() >= reportsWaitsFromMs
      if (isReported || isLong) report(wait)
      else void reportOnceLong(wait)
    },
    ends() {
      forget()
      if (isReported) report()
    },
  }
}

function signal({ client, info }: Pick<Context, 'client' | 'info'>, notice: WaitNotice): Promise<void> {
  const { workflowId = '' } = info.workflowExecution ?? {}
  return client.workflow.getHandle(workflowId).signal(waitSignal, notice)
}
