import { type ScheduleDescription, ScheduleNotFoundError } from '@temporalio/client'
import type { ClientPorts } from '../client/talk-to-run.ts'
import { idsOf, serverIdOf } from './schedule-ids.ts'

const pageSize = 1000

/** The schedules of a task queue that Opsbook has made, by their own ids. Those of others are not even read. */
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
      // Of a queue whose name goes on: no runbook has a colon in its name.
      if (!id.includes(':')) found.push(id)
    }
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined
  } while (nextPageToken)
  return found.toSorted()
}

/** What the server knows of each of them. One that goes meanwhile is left out. */
export async function* describeOwned(
  ports: ClientPorts,
): AsyncGenerator<{ readonly id: string; readonly described: ScheduleDescription }> {
  const { client, taskQueue } = ports
  for (const id of await listOwned(ports)) {
    try {
      yield { id, described: await client.schedule.getHandle(serverIdOf(taskQueue, id)).describe() }
    } catch (thrown) {
      if (!(thrown instanceof ScheduleNotFoundError)) throw thrown
    }
  }
}
