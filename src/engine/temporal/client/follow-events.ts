import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordedEvent } from '../../../core/record/index.ts'
import { createRetryDeadline, type FollowOptions } from '../../index.ts'
import { grpcCodes, grpcError } from '../connection.ts'
import { type ClientPorts, serverError } from './client-ports.ts'
import type { HistoryEvent } from './read-history.ts'
import { askEvents, type RunLog, readLog } from './read-log.ts'

/** The pause between two tries without an answer. */
const tryAgainMs = 100

/**
 * The events of a run as they happen, until its end. Reports a lack of workers or of the server, and waits for them.
 */
export async function* followEvents(
  ports: ClientPorts,
  runId: string,
  { afterSeq = 0, signal, say = () => {} }: FollowOptions = {},
): AsyncGenerator<RecordedEvent> {
  const retrying = createRetryDeadline(say)
  let last = afterSeq
  let open: RunLog['open']
  let tail: HistoryTail | undefined
  const read = async (): Promise<RunLog> =>
    open ? { events: await askEvents(ports, runId, open, last), open } : readLog(ports, runId, last)
  while (!signal?.aborted) {
    const log = await retrying(read)
    if (!log) {
      // The execution may have ended, and then its history holds the log: to read that takes no worker.
      open = undefined
      await sleep(tryAgainMs, undefined, signal ? { signal } : {}).catch(() => {})
      continue
    }
    for (const recorded of log.events) {
      last = recorded.seq
      yield recorded
      if (recorded.event.type === 'run_finished') return
    }
    // A run that was terminated has no last event.
    if (!log.open) return
    open = log.open
    if (open.runId !== tail?.runId) tail = createHistoryTail(ports, runId, open.runId)
    const next = await retrying(async () => tail?.next(signal))
    if (next === 'ended') open = undefined
  }
}

/** The events so far. */
export async function readEvents(
  ports: ClientPorts,
  runId: string,
  afterSeq = 0,
): Promise<readonly RecordedEvent[]> {
  return (await readLog(ports, runId, afterSeq)).events
}

/** Follows the history of one execution. */
interface HistoryTail {
  readonly runId: string
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
function createHistoryTail(ports: ClientPorts, workflowId: string, runId: string): HistoryTail {
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
    runId,
    async next(signal) {
      const endMs = Date.now() + longestMs
      // The client never takes its listener off a signal, so each call has one of its own.
      let left = new AbortController()
      const leave = (): void => left.abort()
      signal?.addEventListener('abort', leave)
      await sleep(pauseMs, undefined, signal ? { signal } : {}).catch(() => {})
      try {
        while (!signal?.aborted && Date.now() < endMs) {
          left = new AbortController()
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
