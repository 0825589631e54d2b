import { type Client, WorkflowFailedError } from '@temporalio/client'
import { ActivityFailure, ApplicationFailure } from '@temporalio/common'
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js'
import type { UndeliveredNotices } from '../../notices/index.ts'
import { type NoticeFailure, noticeType } from '../notice-messages.ts'
import { contextOf, converterOf } from './read-history.ts'

/** Without a target: no worker has picked them up. Those that are abandoned, as long as the server keeps them. */
type Undelivered = Omit<UndeliveredNotices, 'target'> & Partial<Pick<UndeliveredNotices, 'target'>>

/** The largest number of messages that are read. */
const most = 50
/** A younger message has had no time to arrive. */
const youngMs = 15_000

/** The notifications about runs of a queue that have not arrived. Needs no worker. */
export async function readUndelivered(client: Client, taskQueue: string): Promise<readonly Undelivered[]> {
  const found = new Map<string | undefined, Undelivered>()
  const add = (startTime: Date, kind: 'waiting' | 'givenUp', failure?: NoticeFailure): void => {
    const since = startTime.toISOString()
    const before = found.get(failure?.target) ?? { waiting: 0, givenUp: 0, since }
    found.set(failure?.target, {
      ...before,
      ...(failure === undefined ? {} : { target: failure.target, lastError: failure.reason }),
      [kind]: before[kind] + 1,
      since: since < before.since ? since : before.since,
    })
  }
  const query = `WorkflowType = '${noticeType}' AND TaskQueue = '${taskQueue}' AND`
  for await (const { workflowId, startTime } of firstOf(client, `${query} ExecutionStatus = 'Running'`)) {
    const failures = await pendingFailures(client, workflowId)
    for (const failure of failures) add(startTime, 'waiting', failure)
    if (failures.length === 0 && Date.now() - startTime.getTime() > youngMs) add(startTime, 'waiting')
  }
  for await (const { workflowId, startTime } of firstOf(client, `${query} ExecutionStatus = 'Failed'`))
    add(startTime, 'givenUp', await lastFailure(client, workflowId))
  return [...found.values()]
}

async function* firstOf(
  client: Client,
  query: string,
): AsyncGenerator<{ readonly workflowId: string; readonly startTime: Date }> {
  let count = 0
  for await (const info of client.workflow.list({ query, pageSize: most })) {
    if (count++ === most) return
    yield info
  }
}

async function pendingFailures(client: Client, workflowId: string): Promise<readonly NoticeFailure[]> {
  const { raw } = await client.workflow.getHandle(workflowId).describe()
  const failures = await Promise.all(
    (raw.pendingActivities ?? []).map(async ({ lastFailure: failure }) =>
      reasonIn(
        await decodeOptionalFailureToOptionalError(
          converterOf(client),
          failure,
          contextOf(client, workflowId),
        ),
      ),
    ),
  )
  return failures.filter((failure) => failure !== undefined)
}

async function lastFailure(client: Client, workflowId: string): Promise<NoticeFailure | undefined> {
  try {
    await client.workflow.getHandle(workflowId).result()
    return undefined
  } catch (thrown) {
    return thrown instanceof WorkflowFailedError ? reasonIn(thrown.cause) : undefined
  }
}

function reasonIn(error: Error | undefined): NoticeFailure | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error
  if (!(cause instanceof ApplicationFailure)) return undefined
  const [details] = (cause.details ?? []) as readonly (NoticeFailure | undefined)[]
  return details !== undefined && 'reason' in details ? details : undefined
}
