import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Client,
  Connection,
  QueryNotRegisteredError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import { refused } from '../../../core/record/refused.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { TemporalSettings } from '../connection.ts'
import { connectionError, grpcCodes, grpcError, isRefused } from '../connection-error.ts'
import type { UpdateRefusal } from '../messages.ts'
import { cannotReplay, findObstacle } from './find-obstacle.ts'
import { lookForWorkers, missingOf } from './look-for-workers.ts'

/** A server, and how it is spoken to. */
export interface ClientPorts {
  readonly client: Client
  /** Of runs. */
  readonly taskQueue: string
}

/** How long a run may take to answer: its worker may have to read its whole history first. */
export const answerMs = 15_000
/** Silence after which it is looked whether there is any server, and any worker that fits. */
const silenceMs = 2000
/** A worker that is there has taken the question by then, also where the run was left by another one. */
const takenMs = 4000

/**
 * Asks a run something, or tells it something. Rejects with `NoWorker`, `CodeCannotReplay` or `BuildIsGone` where no
 * worker answers for it, with `TemporalUnavailable` where the server does not, with `InvalidInput` where there is no such run, or where it refuses.
 */
export async function talkToRun<T>(
  runId: string,
  ports: ClientPorts,
  talk: () => Promise<T>,
  withinMs: number = answerMs,
): Promise<T> {
  const { client } = ports
  const hopeless = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const askedMs = Date.now()
  const silence = new Promise<never>((_, reject) => {
    const look = async (): Promise<void> => {
      const why = await whySilent(ports, runId, Date.now() - askedMs < takenMs ? undefined : askedMs)
      if (isOver) return
      if (!why) {
        timer = setTimeout(() => void look(), silenceMs)
        return
      }
      reject(why)
      hopeless.abort()
    }
    timer = setTimeout(() => void look(), silenceMs)
  })
  const endMs = askedMs + withinMs
  const heard = client.withAbortSignal(hopeless.signal, () =>
    client.withDeadline(endMs, () => untilHeard(talk, endMs)),
  )
  try {
    // What the client of Temporal tries again does not end where it is aborted between two tries.
    return await Promise.race([heard, silence])
  } catch (thrown) {
    throw await judge(thrown, runId, ports, askedMs)
  } finally {
    isOver = true
    clearTimeout(timer)
  }
}

/** Between two tries to be heard, and to find a worker that fits. */
const pauseMs = 50
const nextWorkerMs = 250

/**
 * The server loses what is said to a run while a task of its workflow comes to nothing, such as one that ends the
 * execution at that moment. The run has not heard of it then: it is said again. So is what a worker whose code does not
 * fit was asked, for a while: another one may fit.
 */
async function untilHeard<T>(talk: () => Promise<T>, endMs: number): Promise<T> {
  const othersMs = Date.now() + silenceMs
  for (;;) {
    try {
      return await talk()
    } catch (thrown) {
      const [waitMs, untilMs] = isUnfit(thrown) ? [nextWorkerMs, othersMs] : [pauseMs, endMs]
      if (!(isLost(thrown) || isUnfit(thrown)) || Date.now() + waitMs >= untilMs) throw thrown
      await sleep(waitMs)
    }
  }
}

/** A worker was asked whose code cannot replay the history, or that does not have the workflow. */
function isUnfit(thrown: unknown): boolean {
  return (
    thrown instanceof QueryNotRegisteredError &&
    /TMPRL1100|Failed to initialize workflow/.test(thrown.message)
  )
}

function isLost(thrown: unknown): boolean {
  const { code, details } = grpcError(thrown)
  return code === grpcCodes.preconditionFailed && /unexpected workflow task failure/i.test(details)
}

/** Nobody has looked at the queue for a while. */
const nobodyThere: readonly (number | undefined)[] = [
  grpcCodes.cancelled,
  grpcCodes.deadline,
  grpcCodes.preconditionFailed,
]

async function judge(thrown: unknown, runId: string, ports: ClientPorts, askedMs: number): Promise<unknown> {
  if (RunbookError.is(thrown)) return thrown
  if (thrown instanceof WorkflowNotFoundError) return noRun(runId, ports)
  if (thrown instanceof WorkflowUpdateFailedError) return refusalIn(thrown)
  if (thrown instanceof QueryNotRegisteredError) {
    if (isUnfit(thrown)) return unfitCode(thrown, runId, ports).catch((error) => serverError(error, ports))
    const message = `${runId} cannot answer: ${thrown.message}`
    return new RunbookError('PayloadUnreadable', message, { cause: thrown, notSent: true })
  }
  const isNobody =
    thrown instanceof WorkflowUpdateRPCTimeoutOrCancelledError || nobodyThere.includes(grpcError(thrown).code)
  if (!isNobody) return serverError(thrown, ports)
  const late = `no worker has answered at the task queue "${ports.taskQueue}" in time`
  return (await whySilent(ports, runId, askedMs)) ?? noWorker(late, thrown)
}

/** What the run itself says against what it was told. */
function refusalIn({ cause, message }: WorkflowUpdateFailedError): RunbookError {
  const [refusal] = cause instanceof ApplicationFailure ? (cause.details ?? []) : []
  const { code = 'InvalidInput', next } = (refusal ?? {}) as Partial<UpdateRefusal>
  return new RunbookError(code, cause?.message ?? message, {
    notSent: true,
    ...(next === undefined ? {} : { next }),
  })
}

async function unfitCode(thrown: Error, runId: string, { client }: ClientPorts): Promise<unknown> {
  const workflow = await client.workflow.getHandle(runId).describe()
  return cannotReplay(workflow, 'a worker', thrown.message)
}

/** How long the server may take to say who works: the caller has waited already. */
const lookMs = 2000

/** Why no worker answers: none is there or fits, or the server is gone as well. Undefined: one should. */
export async function whySilent(
  ports: ClientPorts,
  workflowId: string,
  askedMs?: number,
): Promise<RunbookError | undefined> {
  const { client, taskQueue } = ports
  try {
    return await client.withDeadline(Date.now() + lookMs, async () => {
      const found = await lookForWorkers(client, taskQueue)
      const missing = missingOf(found)
      if (missing !== undefined) return noWorker(missing)
      const workflow = await client.workflow.getHandle(workflowId).describe()
      return findObstacle(client, workflow, found.runs, askedMs)
    })
  } catch (thrown) {
    // Not begun yet: nothing of it can be in the way.
    if (thrown instanceof WorkflowNotFoundError) return undefined
    // It is there, and has too much to do: that says nothing of workers.
    if (isRefused(thrown)) return undefined
    const error = serverError(thrown, ports)
    return RunbookError.is(error) ? error : undefined
  }
}

function noWorker(message: string, cause?: unknown): RunbookError {
  return new RunbookError('NoWorker', message, { cause, notSent: true })
}

/** What says something of the server, and nothing of the run. */
const ofServer: readonly number[] = [
  grpcCodes.deadline,
  grpcCodes.notFound,
  grpcCodes.denied,
  grpcCodes.exhausted,
  grpcCodes.internal,
  grpcCodes.unavailable,
  grpcCodes.unauthenticated,
]

/** What a request that failed says of the server; anything else stays what it is. */
export function serverError(thrown: unknown, ports: ClientPorts): unknown {
  if (RunbookError.is(thrown)) return thrown
  const { code, details } = grpcError(thrown)
  if (/search attribute/i.test(details)) {
    const message = `the namespace "${ports.client.options.namespace}" lacks a search attribute: ${details}`
    return new RunbookError('SearchAttributesMissing', message, { cause: thrown, notSent: true })
  }
  return code !== undefined && ofServer.includes(code) ? connectionError(thrown, placeOf(ports)) : thrown
}

/** There is no such run on the server. */
export function noRun(runId: string, ports: ClientPorts): RunbookError {
  const { address, namespace } = placeOf(ports)
  return refused(
    `there is no run ${runId} in "${namespace}" at ${address}`,
    '"opsbook runs" lists those that are there.',
  )
}

/** Where a client is connected to. */
export function placeOf({ client, taskQueue }: ClientPorts): TemporalSettings {
  const { connection } = client
  const { namespace } = client.options
  if (!(connection instanceof Connection)) return { address: 'an unknown address', namespace, taskQueue }
  return { address: connection.options.address, namespace, taskQueue }
}
