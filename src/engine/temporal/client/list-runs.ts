import { Client, type WorkflowExecutionInfo } from '@temporalio/client'
import { hasText, isExecuted, type RecordedStatus, type RunSummary } from '../../../core/record/index.ts'
import { recordedTime } from '../../../core/times/index.ts'
import type { RunFilter } from '../../index.ts'
import { dataConverterFor } from '../codec/create-codec.ts'
import { isRunQuery, isStartedQuery, runTypeOf } from '../run-listing.ts'
import { atServer, type ClientPorts } from './client-ports.ts'
import { readListed } from './read-summary.ts'

/** At least this many are read: the server lists them in its own order. */
const readAnyway = 500
const hourMs = 3_600_000
/** From the newest backwards. */
const spansMs = [hourMs, 24 * hourMs, 7 * 24 * hourMs, 30 * 24 * hourMs, 365 * 24 * hourMs]

/** How far a list looks back. */
export interface ListReach {
  readonly readAnyway: number
  readonly spansMs: readonly number[]
  /** Only runs of this task queue. Left out: those of the whole namespace. */
  readonly taskQueue?: string
}

/** How far a list looks back where nothing else is said. */
export const usualReach: ListReach = { readAnyway, spansMs }

/** The runs that match, the newest first, up to the limit. */
export function listRuns(
  ports: ClientPorts,
  filter: RunFilter,
  reach: ListReach = usualReach,
): Promise<readonly RunSummary[]> {
  const { limit = 100 } = filter
  return atServer(ports, async () => {
    const query = queryOf(filter, reach)
    let found: readonly RunSummary[] = []
    for await (const sinceMs of startsOf(ports, query, limit, reach)) {
      found = await listSince(ports, filter, query, sinceMs)
      // The server counts executions. A run that was resumed has several, and may have another status now.
      if (found.length >= limit) break
    }
    return found
  })
}

async function listSince(
  { client }: ClientPorts,
  filter: RunFilter,
  query: string,
  sinceMs: number,
): Promise<readonly RunSummary[]> {
  const { limit = 100, startedFromMs = 0, startedBeforeMs = Number.MAX_SAFE_INTEGER, status } = filter
  const found = new Map<string, Listed>()
  // A run that cannot be decrypted here must not hide the others.
  const { connection, options } = client
  const { namespace } = options
  const lenient = new Client({ connection, namespace, dataConverter: dataConverterFor('replace') })
  for await (const info of lenient.workflow.list({ query: since(query, sinceMs), pageSize: 1000 })) {
    // A resumed run has several executions; the server lists the newest first.
    if (found.has(info.workflowId)) continue
    const summary = readListed(info as WorkflowExecutionInfo)
    const startedMs = Date.parse(summary.started_at)
    const { text = '' } = filter
    const isWanted = (status === undefined || status.includes(summary.status)) && hasText(summary, text)
    if (isWanted && startedMs >= startedFromMs && startedMs < startedBeforeMs)
      found.set(info.workflowId, { summary, executionId: info.runId })
  }
  const listed = [...found.values()].toSorted(
    (one, other) => Date.parse(other.summary.started_at) - Date.parse(one.summary.started_at),
  )
  if (status === undefined) return listed.slice(0, limit).map(({ summary }) => summary)
  return takeLast(lenient, listed, limit)
}

/** A run as the server lists it, and the execution that it lists. */
interface Listed {
  readonly summary: RunSummary
  readonly executionId: string
}

/** How many runs one request looks up. */
const batchSize = 200

/** Leaves out runs that were resumed since: an earlier execution does not have the status of the run. */
async function takeLast(
  client: Client,
  listed: readonly Listed[],
  limit: number,
): Promise<readonly RunSummary[]> {
  const taken: RunSummary[] = []
  for (let first = 0; first < listed.length && taken.length < limit; first += batchSize) {
    const batch = listed.slice(first, first + batchSize)
    const ended = batch.filter(({ summary }) => !isExecuted(summary.status))
    const last = await findLast(
      client,
      ended.map(({ summary }) => summary.run_id),
    )
    for (const { summary, executionId } of batch) {
      const isLast = isExecuted(summary.status) || last.get(summary.run_id) === executionId
      if (isLast) taken.push(summary)
    }
  }
  return taken.slice(0, limit)
}

/** The newest execution of each of these runs, but for those that continued as new. */
async function findLast(client: Client, runIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (runIds.length === 0) return new Map()
  const query = `WorkflowId IN (${runIds.map(quoted).join(', ')}) AND ExecutionStatus != 'ContinuedAsNew'`
  const newest = new Map<string, { readonly startMs: number; readonly executionId: string }>()
  for await (const { workflowId, runId, startTime } of client.workflow.list({ query, pageSize: 1000 })) {
    const startMs = startTime.getTime()
    if (startMs > (newest.get(workflowId)?.startMs ?? 0))
      newest.set(workflowId, { startMs, executionId: runId })
  }
  return new Map([...newest].map(([workflowId, { executionId }]) => [workflowId, executionId]))
}

/** Start times to search from, each further back, so that the result holds the newest runs and few more. */
async function* startsOf(
  { client }: ClientPorts,
  query: string,
  limit: number,
  { readAnyway, spansMs }: ListReach,
): AsyncGenerator<number> {
  const { count } = await client.workflow.count(query)
  if (count > Math.max(limit, readAnyway))
    for (const spanMs of spansMs) {
      const fromMs = Date.now() - spanMs
      if ((await client.workflow.count(since(query, fromMs))).count >= limit) yield fromMs
    }
  yield 0
}

function since(query: string, fromMs: number): string {
  return fromMs === 0 ? query : `${query} AND StartTime >= ${quoted(recordedTime(fromMs))}`
}

function queryOf(
  { status, runbook, labels = {}, startedFromMs }: RunFilter,
  { taskQueue }: Pick<ListReach, 'taskQueue'>,
): string {
  const parts = [
    runbook === undefined ? isRunQuery : `WorkflowType = ${quoted(runTypeOf(runbook))}`,
    `ExecutionStatus != 'ContinuedAsNew'`,
    isStartedQuery,
    ...(taskQueue === undefined ? [] : [`TaskQueue = ${quoted(taskQueue)}`]),
    ...Object.entries(labels).map(([name, value]) => `OpsbookLabels = ${quoted(`${name}=${value}`)}`),
    ...(status === undefined ? [] : [`(${status.map(statusQuery).join(' OR ')})`]),
  ]
  return since(parts.join(' AND '), startedFromMs ?? 0)
}

function statusQuery(status: RecordedStatus): string {
  switch (status) {
    case 'queued':
    case 'running':
    case 'waiting':
    case 'paused':
      return `(ExecutionStatus = 'Running' AND OpsbookStatus = ${quoted(status)})`
    case 'succeeded':
      return `ExecutionStatus = 'Completed'`
    case 'cancelled':
      return `ExecutionStatus = 'Canceled' OR OpsbookStatus = 'cancelled'`
    case 'interrupted':
      return `ExecutionStatus = 'Terminated' OR ExecutionStatus = 'TimedOut' OR OpsbookStatus = 'interrupted'`
    case 'failed':
      return `ExecutionStatus = 'Failed'`
    case 'unknown':
      return `OpsbookStatus = 'unknown'`
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
