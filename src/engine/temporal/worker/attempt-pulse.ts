import type { Context } from '@temporalio/activity'
import {
  ActivityCancelledError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
} from '@temporalio/client'
import { type CancellationSource, createCancellation } from '../../../core/host/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { Clock } from '../../attempt/index.ts'
import { heartbeatTimeoutMs, longestWaitMs } from '../attempt-times.ts'
import { type AttemptHeartbeat, type AttemptNotice, type AttemptOrder, attemptSignal } from '../messages.ts'
import { longestBeatMs, signalRun } from './write-reports.ts'

/** Reports to the server that an attempt is alive, and what it waits for. */
export interface AttemptPulse {
  /** The attempt waits for this from now on; undefined: for nothing. */
  waitFor(wait: Omit<NonNullable<AttemptHeartbeat['waitsFor']>, 'sinceMs'> | undefined): void
  /**
   * Announces that the request of a create is about to be sent. Resolves when the server has a heartbeat that says so:
   * then the activity has not timed out before, and when it does, the workflow gets the heartbeat. All later ones say
   * the same, until `unsent` is aborted: this request did not leave. Rejects with `Cancelled` and `notSent` where the
   * attempt is no longer the one of this worker, or the server does not answer in time; then the request must not be sent.
   */
  announce(unsent?: AbortSignal): Promise<void>
  /** The attempt was ended since it has waited for too long. */
  hasWaitedTooLong(): boolean
  stop(): void
}

/** What a pulse needs. */
export interface PulsePorts {
  /** Sends a heartbeat. The next one is sent when this has ended. */
  beat(details?: AttemptHeartbeat): Promise<void> | void
  /** Called when the attempt has waited for too long, or the server has taken it from this worker. */
  giveUp(): void
  /** Whether the attempt is no longer wanted. */
  isUnwanted(): boolean
  /** Since when it has waited on other workers. */
  readonly earlierMs?: number | undefined
}

/** The interval of the first heartbeats. The answer to a heartbeat carries the cancellation of the attempt. */
const heartbeatMs = 1000
/** After ten heartbeats every third one is enough: hundreds of waiting attempts would keep a server busy. */
const quickBeats = 10
const slowEvery = 3
/** Between two tries to announce, in milliseconds: the first pause, and the longest. */
const firstPauseMs = 100
const longestPauseMs = 2000

export function startPulse({ beat, giveUp, isUnwanted, earlierMs }: PulsePorts): AttemptPulse {
  let waitsFor: AttemptHeartbeat['waitsFor']
  let beganMs = 0
  let hasWaitedTooLong = false
  let beats = 0
  let isAnnounced = false
  /** Until then, a heartbeat from before the announcement may still arrive, and would replace it. */
  let astrayUntilMs = 0
  let sending: Promise<void> | undefined

  const send = async (): Promise<void> => {
    const details = { ...(waitsFor ? { waitsFor } : {}), ...(isAnnounced ? { isAnnounced } : {}) }
    const wasAnnounced = isAnnounced
    try {
      await (Object.keys(details).length === 0 ? beat() : beat(details))
    } catch (thrown) {
      if (isTaken(thrown)) giveUp()
      else if (!wasAnnounced) astrayUntilMs = Date.now() + longestBeatMs
      throw thrown
    }
  }
  /** One after another: a heartbeat replaces what the server has of the one before. */
  const sendNext = async (): Promise<void> => {
    while (sending) await sending.catch(() => {})
    sending = send()
    try {
      await sending
    } finally {
      sending = undefined
    }
  }
  const onTime = (): void => {
    const isTooLong = waitsFor !== undefined && Date.now() - beganMs >= longestWaitMs
    if (isTooLong && !hasWaitedTooLong) {
      hasWaitedTooLong = true
      giveUp()
    }
    beats++
    const isDue = beats <= quickBeats || beats % slowEvery === 0
    if (isDue && !sending) sendNext().catch(() => {})
  }
  const timer = setInterval(onTime, heartbeatMs)
  return {
    waitFor(wait) {
      if (wait && !waitsFor) beganMs = Date.now()
      waitsFor = wait && { ...wait, sinceMs: earlierMs ?? beganMs }
    },
    async announce(unsent) {
      const wasAnnounced = isAnnounced
      isAnnounced = true
      // A worker that is lost while the attempt waits for another permit has sent nothing.
      const takeBack = (): void => {
        isAnnounced = wasAnnounced
        sendNext().catch(() => {})
      }
      unsent?.addEventListener('abort', takeBack, { once: true })
      await sending?.catch(() => {})
      const endMs = Date.now() + heartbeatTimeoutMs
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
        if (isUnwanted()) throw notWanted()
        const astrayMs = astrayUntilMs - Date.now()
        if (astrayMs > 0) await new Promise((resolve) => setTimeout(resolve, astrayMs))
        try {
          return await sendNext()
        } catch (thrown) {
          if (isTaken(thrown) || Date.now() + pauseMs > endMs) throw notWanted(thrown)
          await new Promise((resolve) => setTimeout(resolve, pauseMs))
        }
      }
    },
    hasWaitedTooLong: () => hasWaitedTooLong,
    stop: () => clearInterval(timer),
  }
}

const endings = [ActivityCancelledError, ActivityNotFoundError, ActivityPausedError, ActivityResetError]

function isTaken(thrown: unknown): boolean {
  return endings.some((ending) => thrown instanceof ending)
}

function notWanted(cause?: unknown): RunbookError {
  return new RunbookError('Cancelled', 'the attempt was taken back before its request was sent', {
    cause,
    notSent: true,
  })
}

type Wait = NonNullable<AttemptNotice['wait']>

/** Reports to the workflow of an attempt while the attempt waits for a permit or for its target. */
export interface WaitReporter {
  begins(wait: Wait): void
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

  const report = (wait: Wait | null): void => {
    isReported = wait !== null
    line = line.then(() => signalRun(context, attemptSignal, { path, attempt, wait })).catch(() => {})
  }
  const reportOnceLong = async (wait: Wait): Promise<void> => {
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
      if (isReported) report(null)
    },
  }
}
