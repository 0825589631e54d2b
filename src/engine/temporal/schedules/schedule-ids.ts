import { createHash } from 'node:crypto'
import { type ScheduleDescription, ScheduleNotFoundError } from '@temporalio/client'
import { atServer, type ClientPorts } from '../client/client-ports.ts'
import type { MissedTimes } from '../received-events/messages.ts'

const prefix = 'opsbook-schedule:'

/** The prefix of the schedules of a task queue: only Opsbook uses it. */
function idsOf(taskQueue: string): string {
  return `${prefix}${taskQueue}:`
}

/** The id of a schedule on the server. */
export function serverIdOf(taskQueue: string, id: string): string {
  return idsOf(taskQueue) + id
}

/** The prefix of the ids of its runs, to which the server adds the time. Each queue has its own. */
export function runIdsOf(taskQueue: string, id: string): string {
  return `run_${id}_${createHash('sha256').update(taskQueue).digest('hex').slice(0, 6)}`
}

/** The prefix of the ids of runs that people start, to which the time is added. */
export function runIdsByHand(taskQueue: string, id: string): string {
  return `${runIdsOf(taskQueue, id)}-by-hand-`
}

/** The time that the server has added to the id of a run. */
export function timeInRunId(runId: string): string | undefined {
  const [, time] = /-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/.exec(runId) ?? []
  return time === undefined ? undefined : new Date(time).toISOString()
}

/** The runbook whose runs a schedule starts, whether the plan can be read here or not. */
export function runbookOf(id: string, { action }: ScheduleDescription): string {
  const [runbook] = action.searchAttributes?.['OpsbookRunbook'] ?? []
  return typeof runbook === 'string' ? runbook : id
}

/** How many times of each schedule the server has missed beyond the catch-up window. */
export function readMissedTimes(ports: ClientPorts): Promise<readonly MissedTimes[]> {
  return atServer(ports, async () => {
    const read: MissedTimes[] = []
    for await (const { id, described } of describeOwned(ports))
      read.push({
        id,
        runbook: runbookOf(id, described),
        missed: described.info.numActionsMissedCatchupWindow,
      })
    return read
  })
}

/** Undefined: the schedule does not exist, or was removed in between. */
export async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (thrown) {
    if (thrown instanceof ScheduleNotFoundError) return undefined
    throw thrown
  }
}

const pageSize = 1000

/** The schedules of a task queue that Opsbook has made, by their own ids. */
export async function listOwned({ client, taskQueue }: ClientPorts): Promise<readonly string[]> {
  const prefix = idsOf(taskQueue)
  const found: string[] = []
  let nextPageToken: Uint8Array | undefined
  do {
    const page = await client.workflowService.listSchedules({
      namespace: client.options.namespace,
      maximumPageSize: pageSize,
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    })
    for (const { scheduleId } of page.schedules ?? []) {
      if (!scheduleId?.startsWith(prefix)) continue
      const id = scheduleId.slice(prefix.length)
      // The prefix of a longer queue name: no runbook has a colon in its name.
      if (!id.includes(':')) found.push(id)
    }
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined
  } while (nextPageToken)
  return found.toSorted()
}

/** The description of each by the server. Leaves out one that is removed meanwhile. */
export async function* describeOwned(
  ports: ClientPorts,
): AsyncGenerator<{ readonly id: string; readonly described: ScheduleDescription }> {
  const { client, taskQueue } = ports
  for (const id of await listOwned(ports)) {
    const described = await ifThere(client.schedule.getHandle(serverIdOf(taskQueue, id)).describe())
    if (described) yield { id, described }
  }
}
