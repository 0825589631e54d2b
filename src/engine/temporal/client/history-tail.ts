import { setTimeout as sleep } from 'node:timers/promises'
import { grpcCodes, grpcError } from '../connection-error.ts'
import type { HistoryEvent } from './read-history.ts'
import { type ClientPorts, serverError } from './talk-to-run.ts'

/** The end of the history of one execution, which the server is waited at. */
export interface HistoryTail {
  /**
   * Resolves when the workflow has done something since, with `ended` when the execution has; after some seconds in any
   * case. No worker is asked.
   */
  next(signal: AbortSignal | undefined): Promise<'open' | 'ended'>
}

/** Longer than anything that is shown to people may be late, and short enough for many of them. */
const pauseMs = 100
/** So long the server holds a question at most. What keeps a run from going on, such as a lack of workers, shows then. */
const longestMs = 10_000
const pageSize = 500

/** Waits for what happens in an execution, from its beginning on. */
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
      // The client listens at a signal for as long as there is one.
      const left = new AbortController()
      const leave = (): void => left.abort()
      signal?.addEventListener('abort', leave)
      await sleep(pauseMs, undefined, signal ? { signal } : {}).catch(() => {})
      try {
        while (!signal?.aborted && Date.now() < endMs) {
          const events = await client.withAbortSignal(left.signal, () => client.withDeadline(endMs, read))
          if (events === 'ended') return 'ended'
          // A full page is one of many that have been there for long.
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

/** What happens to a workflow is an event of its run once the workflow has seen it. */
function isDone({ workflowTaskCompletedEventAttributes: done }: HistoryEvent): boolean {
  return done !== undefined && done !== null
}
