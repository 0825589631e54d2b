import type { Client } from '@temporalio/client'
import PQueue from 'p-queue'
import type { RecordedEvent } from '../../../core/record/index.ts'
import { grpcCodes, grpcError } from '../connection.ts'
import {
  type EventsAnswer,
  eventsQuery,
  type KeptPage,
  keepLogActivity,
  type RunStateAnswer,
} from '../messages.ts'
import { atServer, type ClientPorts, serverError } from './client-ports.ts'
import { describeRun } from './describe-run.ts'
import { decodePayload, type HistoryEvent, readHistory, readStart } from './read-history.ts'
import { askRun } from './talk-to-run.ts'

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

/** How many executions are read at a time. */
const atOnce = 8

/**
 * Reads the events of a run after a number: of a closed execution from its history, of the open one by a query.
 * Leaves out executions that the server no longer has.
 */
export function readLog(ports: ClientPorts, runId: string, afterSeq: number): Promise<RunLog> {
  return atServer(ports, async () => {
    const { runId: lastId, status } = await describeRun(ports, runId)
    const { executions = [], lastSeq = 0 } = (await readStart(ports.client, runId, lastId)).continued ?? {}
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
  })
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
    const page = await askRun(runId, ports, () => handle.query<EventsAnswer, [number]>(eventsQuery, last))
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
    const kept = await readKeptLog(ports, runId, execution.runId)
    if (kept) return kept.events.filter(({ seq }) => seq > afterSeq)
  } catch (thrown) {
    // Each execution is removed on its own, when its retention has passed.
    if (grpcError(thrown).code === grpcCodes.notFound) return []
    throw thrown
  }
  return askEvents(ports, runId, execution, afterSeq)
}

/** The log of one execution of a run, as its history keeps it. */
export interface KeptLog {
  readonly events: readonly RecordedEvent[]
  /** Of an execution in which the run has ended. */
  readonly state?: RunStateAnswer
}

/** Only a few events follow a page: the end of the execution, and what its last task asked for. */
const backwards = { maximumPageSize: 10, isReversed: true }
/** A page follows within this many events. */
const mostBetween = 50

/**
 * Reads the log of an execution that has ended, from the end of its history; needs no worker. Undefined: it has no
 * complete log, such as after a termination. Rejects where the server no longer has the execution.
 */
export async function readKeptLog(
  ports: ClientPorts,
  workflowId: string,
  executionId: string,
): Promise<KeptLog | undefined> {
  try {
    return await readPages(ports.client, workflowId, executionId)
  } catch (thrown) {
    const { code } = grpcError(thrown)
    // After a crash, a server may be unable to read a history backwards: then the workflow is queried.
    if (code === grpcCodes.unavailable || code === grpcCodes.internal) return undefined
    throw serverError(thrown, ports)
  }
}

async function readPages(
  client: Client,
  workflowId: string,
  executionId: string,
): Promise<KeptLog | undefined> {
  const pages: KeptPage[] = []
  let since = 0
  for await (const event of readHistory(client, workflowId, executionId, backwards)) {
    if (wasStopped(event)) return undefined
    const page = await pageIn(client, workflowId, event)
    since = page ? 0 : since + 1
    if (page) pages.unshift(page)
    if (page?.before === 0) break
    if (since === mostBetween) return undefined
  }
  if (pages[0]?.before !== 0) return undefined
  const state = pages.at(-1)?.state
  return { events: pages.flatMap(({ events }) => events), ...(state === undefined ? {} : { state }) }
}

/** A terminated run may not have written its whole log. */
function wasStopped(event: HistoryEvent): boolean {
  return Boolean(
    event.workflowExecutionTerminatedEventAttributes ?? event.workflowExecutionTimedOutEventAttributes,
  )
}

/** The SDK records the result of a local activity so. */
const markerName = 'core_local_activity'

async function pageIn(client: Client, runId: string, event: HistoryEvent): Promise<KeptPage | undefined> {
  const { markerName: name, details } = event.markerRecordedEventAttributes ?? {}
  const data = details?.['data']?.payloads?.[0]?.data
  if (name !== markerName || !data) return undefined
  const { activity_type: type } = JSON.parse(Buffer.from(data).toString()) as {
    readonly activity_type?: string
  }
  return type === keepLogActivity ? decodePayload<KeptPage>(client, runId, details?.['result']) : undefined
}
