import PQueue from 'p-queue'
import type { RecordedEvent } from '../../../core/record/run-record.ts'
import { grpcCodes, grpcError } from '../connection-error.ts'
import { type EventsPage, eventsQuery } from '../messages.ts'
import { askRun } from './ask-run.ts'
import { describeRun } from './describe-run.ts'
import { readKeptLog } from './kept-log.ts'
import { readStart } from './read-history.ts'
import { type ClientPorts, serverError } from './talk-to-run.ts'

/** One execution of the workflow of a run. */
export interface Execution {
  readonly runId: string
  /** The number of its first event. */
  readonly firstSeq: number
}

/** The log of a run as far as it goes. */
export interface RunLog {
  readonly events: readonly RecordedEvent[]
  /** The execution that is still open; left out: the run has ended. */
  readonly open?: Execution
}

/** So many executions are read at a time. */
const atOnce = 8

/**
 * Reads the events of a run after a number. Each execution that has ended has left its own in its history; only the one
 * that is open is asked. Executions that the server no longer has are left out.
 */
export async function readLog(ports: ClientPorts, runId: string, afterSeq: number): Promise<RunLog> {
  try {
    const { runId: lastId, status } = await describeRun(ports, runId)
    const { executions = [], lastSeq = 0 } = (await readStart(ports.client, runId, lastId)).carried ?? {}
    const last = { runId: lastId, firstSeq: lastSeq + 1 }
    const isOpen = status.name === 'RUNNING' || status.name === 'PAUSED'
    const all = [...executions, last]
    const wanted = all.filter((_, place) => (all[place + 1]?.firstSeq ?? Number.MAX_VALUE) > afterSeq + 1)
    const read = await new PQueue({ concurrency: atOnce }).addAll(
      wanted.map((one) => () => {
        const from = Math.max(afterSeq, one.firstSeq - 1)
        return one === last && isOpen
          ? askEvents(ports, runId, one, from)
          : readEnded(ports, runId, one, from)
      }),
    )
    return { events: read.flat(), ...(isOpen ? { open: last } : {}) }
  } catch (thrown) {
    throw serverError(thrown, ports)
  }
}

/** Asks an execution for its events after a number. */
export async function askEvents(
  ports: ClientPorts,
  runId: string,
  execution: Execution,
  afterSeq: number,
): Promise<readonly RecordedEvent[]> {
  const handle = ports.client.workflow.getHandle(runId, execution.runId)
  const events: RecordedEvent[] = []
  for (;;) {
    const last = events.at(-1)?.seq ?? afterSeq
    const page = await askRun(runId, ports, () => handle.query<EventsPage, [number]>(eventsQuery, last))
    events.push(...page.events)
    if (!page.isMore) return events
  }
}

async function readEnded(
  ports: ClientPorts,
  runId: string,
  execution: Execution,
  afterSeq: number,
): Promise<readonly RecordedEvent[]> {
  try {
    const kept = await readKeptLog(ports.client, runId, execution.runId)
    if (kept) return kept.events.filter(({ seq }) => seq > afterSeq)
  } catch (thrown) {
    // Each execution is removed on its own, when its retention has passed.
    if (grpcError(thrown).code === grpcCodes.notFound) return []
    throw thrown
  }
  return askEvents(ports, runId, execution, afterSeq)
}
