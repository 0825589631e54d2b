import { setTimeout as sleep } from 'node:timers/promises'
import {
  QueryNotRegisteredError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import type { RecordedAnswer } from '../../../core/people/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { grpcCodes, grpcError, isRefused } from '../connection.ts'
import { type AnswerOrder, answerUpdate, type UpdateRefusal } from '../messages.ts'
import { type ClientPorts, noRun, serverError } from './client-ports.ts'
import { cannotReplay, findObstacle } from './find-obstacle.ts'
import { lookForWorkers, missingOf } from './look-for-workers.ts'

/** How long a run may take to answer: its worker may have to read its whole history first. */
const answerMs = 15_000
/** Time without an answer after which the server and its workers are checked. */
const silenceMs = 2000

/**
 * Sends a query or an update to a run. Rejects with `NoWorker`, `CodeCannotReplay` or `BuildIsGone` where no worker
 * answers for it, with `TemporalUnavailable` where the server does not, and with `InvalidInput` where there is no
 * such run or the run refuses.
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
  const endMs = Date.now() + withinMs
  const silence = new Promise<never>((_, reject) => {
    const look = async (): Promise<void> => {
      const why = await whySilent(ports, runId)
      if (isOver) return
      // A server that is slow may answer yet.
      if (!why || grpcError(why).code === grpcCodes.deadline) {
        timer = setTimeout(() => void look(), silenceMs)
        return
      }
      reject(why)
      hopeless.abort()
    }
    timer = setTimeout(() => void look(), silenceMs)
  })
  const answer = client.withAbortSignal(hopeless.signal, () =>
    client.withDeadline(endMs, () => repeatWhileLost(talk, endMs)),
  )
  try {
    // The Temporal client does not stop retrying when it is aborted between two tries.
    return await Promise.race([answer, silence])
  } catch (thrown) {
    throw await judge(thrown, runId, ports)
  } finally {
    isOver = true
    clearTimeout(timer)
  }
}

/** Pauses between two tries: after a lost message, and until a worker that fits answers. */
const pauseMs = 50
const nextWorkerMs = 250

/**
 * Repeats a message that the server has lost because a workflow task failed, such as one that ended the execution.
 * For 2 s, repeats one that a worker with unfit code has answered: another worker may fit.
 */
async function repeatWhileLost<T>(talk: () => Promise<T>, endMs: number): Promise<T> {
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

/** No worker has polled the queue. */
const nobodyThere: readonly (number | undefined)[] = [
  grpcCodes.cancelled,
  grpcCodes.deadline,
  grpcCodes.preconditionFailed,
]

async function judge(thrown: unknown, runId: string, ports: ClientPorts): Promise<unknown> {
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
  return (await whySilent(ports, runId)) ?? noWorker(late, thrown)
}

/** The refusal of the run. */
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

/** Sends the answer to questions of a run. Rejects as {@link talkToRun} does. */
export function answerRun(
  runId: string,
  ports: ClientPorts,
  order: AnswerOrder,
): Promise<readonly RecordedAnswer[]> {
  const handle = ports.client.workflow.getHandle(runId)
  return talkToRun(runId, ports, () =>
    handle.executeUpdate<readonly RecordedAnswer[], [AnswerOrder]>(answerUpdate, { args: [order] }),
  )
}

/** How long the server may take for each of the questions: the caller has waited already. */
const lookMs = 2000

/** Why no worker answers: none is running or fits, or the server is gone. Undefined: one should answer. */
export async function whySilent(ports: ClientPorts, workflowId: string): Promise<RunbookError | undefined> {
  const { client, taskQueue } = ports
  // With one time limit for all, a later one could begin after it: that is no fact about the server.
  const within = <T>(ask: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + lookMs, ask)
  try {
    const found = await within(() => lookForWorkers(client, taskQueue))
    const missing = missingOf(found)
    if (missing !== undefined) return noWorker(missing)
    const workflow = await within(() => client.workflow.getHandle(workflowId).describe())
    return await within(() => findObstacle(client, workflow, found.runs))
  } catch (thrown) {
    // Not started yet: it has no obstacle.
    if (thrown instanceof WorkflowNotFoundError) return undefined
    // The server is overloaded: that is no fact about workers.
    if (isRefused(thrown)) return undefined
    const error = serverError(thrown, ports)
    return RunbookError.is(error) ? error : undefined
  }
}

function noWorker(message: string, cause?: unknown): RunbookError {
  return new RunbookError('NoWorker', message, { cause, notSent: true })
}

/** Most workers answer sooner. A worker that stops, or drops a run from its cache, loses the question. */
const firstTryMs = 4000
/** How much earlier than here a try may time out at the server. */
const aheadMs = 500
/** The codes of a try that timed out, at the server or here. */
const outOfTime: readonly (number | undefined)[] = [grpcCodes.cancelled, grpcCodes.deadline]

/**
 * Sends a query, and repeats it without an answer until the time limit of {@link talkToRun}. Rejects as that
 * does.
 */
export function askRun<T>(runId: string, ports: ClientPorts, ask: () => Promise<T>): Promise<T> {
  const endMs = Date.now() + answerMs
  const askWithRetries = async (): Promise<T> => {
    // Each try has twice the time of the last one, so that a slow answer arrives too.
    for (let tryMs = firstTryMs; ; tryMs *= 2) {
      const tryEndMs = Math.min(Date.now() + tryMs, endMs)
      try {
        return await ports.client.withDeadline(tryEndMs, ask)
      } catch (thrown) {
        const isOver = outOfTime.includes(grpcError(thrown).code) && Date.now() > tryEndMs - aheadMs
        if (!isOver || tryEndMs === endMs) throw thrown
      }
    }
  }
  return talkToRun(runId, ports, askWithRetries)
}
