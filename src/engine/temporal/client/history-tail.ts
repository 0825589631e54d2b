import { setTimeout as sleep } from 'node:timers/promises'
import { grpcCodes, grpcError } from '../connection-error.ts'
import type { HistoryEvent } from './read-history.ts'
import { type ClientPorts, serverError } from './talk-to-run.ts'

/** Follows the history of one execution. */
export interface HistoryTail {
  /**
   * Resolves with `open` when the workflow has done something since the last call, or after ten seconds; with `ended`
   * when the execution has ended. The server answers, and no worker.
   */
  next(signal: AbortSignal | undefined): Promise<'open' | 'ended'>
}

/** Before each question: a busy run is queried ten times a second at most. */
const pauseMs = 100
/** How long the server holds a question. The query that follows notices a lack of workers. */
const longestMs = 10_000
const pageSize = 500

/** Creates a tail that begins with the first event of the execution. */
export function createHistoryTail(ports: ClientPorts, workflowId: string, runId: string): HistoryTail {
  const { client } = ports
  const { namespace } = client.options
  let nextPageToken: Uint8Array | undefined
  const read = async (): Promise<readonly HistoryEvent[] | 'ended'> => {
    const answer = await client.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: pageSize,
      waitNewEvent: true,
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    })
    if (!answer.nextPageToken?.length) return 'ended'
    nextPageToken = answer.nextPageToken
    return answer.history?.events ?? []
  }
  return {
    async next(signal) {
      const endMs = Date.now() + longestMs
      // The client never takes its listener off a signal, so each call has one of its own.
      const left = new AbortController()
      const leave = (): void => left.abort()
      signal?.addEventListener('abort', leave)
      await sleep(pauseMs, undefined, signal ? { signal } : {}).catch(() => {})
      try {
        while (!signal?.aborted && Date.now() < endMs) {
          const events = await client.withAbortSignal(left.signal, () => client.withDeadline(endMs, read))
          if (events === 'ended') return 'ended'
          // A full page has old events: more of them follow.
          if (events.length < pageSize && events.some(isDone)) return 'open'
        }
      } catch (thrown) {
        const { code } = grpcError(thrown)
        const isOverdue = code === grpcCodes.deadline || code === grpcCodes.cancelled
        if (!isOverdue && code !== grpcCodes.notFound && !signal?.aborted) throw serverError(thrown, ports)
        if (code === grpcCodes.notFound) return 'ended'
      } finally {
        signal?.removeEventListener('abort', leave)
      }
      return 'open'
    },
  }
}

/** The workflow emits events of the run only in its own tasks. */
function isDone({ workflowTaskCompletedEventAttributes: done }: HistoryEvent): boolean {
  return done !== undefined && done !== null
}
