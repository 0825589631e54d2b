import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Client,
  NamespaceNotFoundError,
  WithStartWorkflowOperation,
  type WorkflowHandle,
  WorkflowIdConflictPolicy,
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client'
import type { Workflow } from '@temporalio/common'
import { steadyNow } from '../../../api/pacing/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { readStartInput } from '../client/read-history.ts'
import { connectionError, grpcCodes, grpcError, type TemporalSettings } from '../connection.ts'
import {
  type RateAnswer,
  type RateCount,
  type RateRequest,
  rateCountQuery,
  rateLimiterType,
  reserveUpdate,
} from './messages.ts'

/** Sends requests to one limiter, and starts the limiter where there is none. */
export interface LimiterPort {
  /**
   * Resolves with the answer. While the server or its workers are away, the request is made and sent again. Rejects when
   * the server or the limiter refuses it, and when `signal` is aborted.
   */
  ask(request: () => RateRequest, signal: AbortSignal): Promise<HeardAnswer>
}

/** An answer, and when the request that it answers was sent, by the steady clock. */
export interface HeardAnswer extends RateAnswer {
  readonly askedMs: number
}

/** Which limiter, and where. */
export interface LimiterPortOptions {
  readonly client: Client
  readonly settings: TemporalSettings
  readonly workflowId: string
  readonly outage: OutageWarning
}

const firstPauseMs = 50
const longestPauseMs = 2000
/** A request without an answer after this time is sent again: its worker, or the server, may be gone. */
const answerMs = 5000

/**
 * The server takes ten updates of a workflow at a time. When it refuses one, it forgets that it has to deliver the
 * others, and begins again. So a refused process leaves it this long in peace, and the processes come back one by one:
 * the more often they were refused, the farther apart.
 */
const busyMs = 1000
const longestBusyMs = 16_000

export function createLimiterPort({ client, settings, workflowId, outage }: LimiterPortOptions): LimiterPort {
  const { taskQueue } = settings
  const handle = client.workflow.getHandle(workflowId)
  let isStarted = false
  const start = async (): Promise<WithStartWorkflowOperation<Workflow>> =>
    new WithStartWorkflowOperation<Workflow>(rateLimiterType, {
      workflowId,
      taskQueue,
      args: [await readLastCount(client, handle)],
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      staticSummary: `limits of ${workflowId}`,
    })
  /** Starts the limiter with the request, if none is running. */
  const askOnce = async (request: RateRequest): Promise<HeardAnswer> => {
    const startWorkflowOperation = isStarted ? undefined : await start()
    const askedMs = steadyNow()
    const options = { args: [request] as [RateRequest] }
    const answer: RateAnswer = await (startWorkflowOperation
      ? client.workflow.executeUpdateWithStart(reserveUpdate, { ...options, startWorkflowOperation })
      : handle.executeUpdate(reserveUpdate, options))
    isStarted = true
    return { ...answer, askedMs }
  }
  return {
    async ask(request, signal) {
      const firstMs = steadyNow()
      let spreadMs = busyMs
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
        try {
          const answer = await client.withDeadline(Date.now() + answerMs, () => askOnce(request()))
          outage.answered()
          return answer
        } catch (thrown) {
          if (signal.aborted) throw thrown
          if (!isTransient(thrown)) throw refusal(thrown, `the rate limiter ${workflowId}`, settings)
          outage.failed(thrown, firstMs)
          // The limiter has ended since: the next request starts it.
          if (thrown instanceof WorkflowNotFoundError) isStarted = false
          const isBusy = grpcError(thrown).code === grpcCodes.exhausted
          if (isBusy) spreadMs = Math.min(spreadMs * 2, longestBusyMs)
          await sleep(isBusy ? busyMs + Math.random() * spreadMs : pauseMs, undefined, { signal })
        }
      }
    },
  }
}

/**
 * What the last limiter has counted, also one that was terminated. Undefined where one is running, or where the server
 * keeps none that can tell.
 */
async function readLastCount(client: Client, limiter: WorkflowHandle): Promise<RateCount | undefined> {
  try {
    const { status } = await limiter.describe()
    return status.name === 'RUNNING' ? undefined : await limiter.query<RateCount>(rateCountQuery)
  } catch (thrown) {
    // One that has never begun has what it was started with.
    if (grpcError(thrown).code === grpcCodes.preconditionFailed)
      return readStartInput<RateCount>(client, limiter.workflowId)
    if (isTransient(thrown) && !(thrown instanceof WorkflowNotFoundError)) throw thrown
    return undefined
  }
}

/** After these codes a request is sent again: the server, or a worker that takes the request, may come back. */
const transientCodes: readonly (number | undefined)[] = [
  grpcCodes.cancelled,
  grpcCodes.deadline,
  grpcCodes.exhausted,
  grpcCodes.preconditionFailed,
  grpcCodes.aborted,
  grpcCodes.unavailable,
]

/** Whether the same request can succeed later. A limiter that is not there is started by the next request. */
export function isTransient(thrown: unknown): boolean {
  if (thrown instanceof WorkflowNotFoundError) return true
  if (thrown instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true
  return transientCodes.includes(grpcError(thrown).code)
}

const ofServer: readonly (number | undefined)[] = [
  grpcCodes.denied,
  grpcCodes.internal,
  grpcCodes.unauthenticated,
]

/** The error of a call whose request `what` (a limiter or a lock) or the server has refused. Nothing was sent. */
export function refusal(thrown: unknown, what: string, settings: TemporalSettings): RunbookError {
  if (RunbookError.is(thrown))
    return new RunbookError(thrown.code, thrown.message, { cause: thrown, notSent: true })
  const isOfServer = thrown instanceof NamespaceNotFoundError || ofServer.includes(grpcError(thrown).code)
  if (isOfServer) return connectionError(thrown, settings)
  return new RunbookError('InternalDefect', `${what} refuses a request: ${innermost(thrown)}`, {
    cause: thrown,
    notSent: true,
    next: `Check that all workers of the task queue "${settings.taskQueue}" run the same version of Opsbook.`,
  })
}

/** The reason of the server, or of the workflow, without the sentences that the SDK puts around it. */
function innermost(thrown: unknown): string {
  const { code, details } = grpcError(thrown)
  if (code !== undefined) return details
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return cause instanceof Error ? innermost(cause) : details
}

/** Warns once of an outage: when requests have failed for 30 seconds, and none was answered since. */
export interface OutageWarning {
  /** A request failed that was first sent at `askedMs`, by the steady clock. */
  failed(thrown: unknown, askedMs: number): void
  answered(): void
}

const warnAfterMs = 30_000

/** `what`: a limiter, or the target locks, for the message. */
export function createOutageWarning(
  what: string,
  warn: (message: string) => void,
  afterMs: number = warnAfterMs,
): OutageWarning {
  let sinceMs: number | undefined
  let isWarned = false
  return {
    failed(thrown, askedMs) {
      sinceMs ??= askedMs
      const silentMs = steadyNow() - sinceMs
      if (isWarned || silentMs < afterMs) return
      isWarned = true
      const seconds = Math.round(silentMs / 1000)
      warn(`no answer from ${what} for ${seconds} s; the calls that need it wait: ${innermost(thrown)}`)
    },
    answered() {
      sinceMs = undefined
      isWarned = false
    },
  }
}
