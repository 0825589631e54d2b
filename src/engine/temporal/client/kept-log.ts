import type { Client } from '@temporalio/client'
import type { RecordedEvent } from '../../../core/record/run-record.ts'
import { grpcCodes, grpcError } from '../connection-error.ts'
import { type KeptPage, keepLogActivity, type RunStateAnswer } from '../messages.ts'
import { decodePayload, type HistoryEvent } from './read-history.ts'

/** The log of one execution of a run, as its history keeps it. */
export interface KeptLog {
  readonly events: readonly RecordedEvent[]
  /** Of an execution in which the run has ended. */
  readonly state?: RunStateAnswer
}

/** Only a few events follow a page: the end of the execution, and what its last task asked for. */
const pageSize = 10
/** An execution that has left a page has it among so many events. */
const mostBetween = 50

/**
 * Reads the log of an execution that has ended from the end of its history: no worker is needed. Undefined: it left
 * none that can be read, such as where it was ended past its run. Rejects where the server does not have the execution any more.
 */
export async function readKeptLog(
  client: Client,
  workflowId: string,
  executionId: string,
): Promise<KeptLog | undefined> {
  try {
    return await readPages(client, workflowId, executionId)
  } catch (thrown) {
    const { code } = grpcError(thrown)
    // After a crash a server may be unable to read a history from its end: then the run itself is asked.
    if (code === grpcCodes.unavailable || code === grpcCodes.internal) return undefined
    throw thrown
  }
}

async function readPages(
  client: Client,
  workflowId: string,
  executionId: string,
): Promise<KeptLog | undefined> {
  const pages: KeptPage[] = []
  let since = 0
  for await (const event of readBackwards(client, workflowId, executionId)) {
    if (wasStopped(event)) return undefined
    const page = await pageIn(client, event)
    since = page ? 0 : since + 1
    if (page) pages.unshift(page)
    if (page?.before === 0) break
    if (since === mostBetween) return undefined
  }
  if (pages[0]?.before !== 0) return undefined
  const state = pages.at(-1)?.state
  return { events: pages.flatMap(({ events }) => events), ...(state === undefined ? {} : { state }) }
}

/** Past its run: what it was about to leave may not be all. */
function wasStopped(event: HistoryEvent): boolean {
  return Boolean(
    event.workflowExecutionTerminatedEventAttributes ?? event.workflowExecutionTimedOutEventAttributes,
  )
}

async function* readBackwards(
  { workflowService, options: { namespace } }: Client,
  workflowId: string,
  runId: string,
): AsyncGenerator<HistoryEvent> {
  let nextPageToken: Uint8Array | undefined
  do {
    const answer = await workflowService.getWorkflowExecutionHistoryReverse({
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: pageSize,
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    })
    yield* answer.history?.events ?? []
    nextPageToken = answer.nextPageToken?.length ? answer.nextPageToken : undefined
  } while (nextPageToken)
}

/** The SDK records the result of a local activity so. */
const markerName = 'core_local_activity'

async function pageIn(client: Client, event: HistoryEvent): Promise<KeptPage | undefined> {
  const { markerName: name, details } = event.markerRecordedEventAttributes ?? {}
  const data = details?.['data']?.payloads?.[0]?.data
  if (name !== markerName || !data) return undefined
  const { activity_type: type } = JSON.parse(Buffer.from(data).toString()) as {
    readonly activity_type?: string
  }
  return type === keepLogActivity ? decodePayload<KeptPage>(client, details?.['result']) : undefined
}
