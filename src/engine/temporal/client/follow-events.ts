import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordedEvent } from '../../../core/record/run-record.ts'
import type { FollowOptions } from '../../engine.ts'
import { createHistoryTail, type HistoryTail } from './history-tail.ts'
import { createPatience } from './patience.ts'
import { askEvents, type RunLog, readLog } from './read-log.ts'
import type { ClientPorts } from './talk-to-run.ts'

/** Between two tries where nothing answers. */
const tryAgainMs = 100

/**
 * The events of a run as they happen, until its end. Waits for workers, and for a server that is away, and says so:
 * none of that ends the run.
 */
export async function* followEvents(
  ports: ClientPorts,
  runId: string,
  { afterSeq = 0, signal, say = () => {} }: FollowOptions = {},
): AsyncGenerator<RecordedEvent> {
  const patiently = createPatience(say)
  let last = afterSeq
  let open: RunLog['open']
  let tail: HistoryTail | undefined
  const read = async (): Promise<RunLog> =>
    open ? { events: await askEvents(ports, runId, open, last), open } : readLog(ports, runId, last)
  while (!signal?.aborted) {
    const log = await patiently(read)
    if (!log) {
      await sleep(tryAgainMs, undefined, signal ? { signal } : {}).catch(() => {})
      continue
    }
    for (const recorded of log.events) {
      last = recorded.seq
      yield recorded
      if (recorded.event.type === 'run_finished') return
    }
    // A run that was stopped on the server has told no end.
    if (!log.open) return
    if (log.open.runId !== open?.runId) tail = createHistoryTail(ports, runId, log.open.runId)
    open = log.open
    const next = await patiently(async () => tail?.next(signal))
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
