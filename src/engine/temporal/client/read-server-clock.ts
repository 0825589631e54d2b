import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'

/** An empty queue: the server records the time of each poll. */
const clockQueue = 'opsbook-clock'
const maxWaitMs = 2000
const lookMs = 20
/** `TASK_QUEUE_TYPE_ACTIVITY`. */
const taskQueueType = 2

/**
 * How far the clock of this machine is ahead of that of the server, in milliseconds; undefined: not measured.
 */
export async function readClockAheadMs(client: Client): Promise<number | undefined> {
  const { namespace } = client.options
  const identity = `opsbook-clock-${randomUUID()}`
  const taskQueue = { name: clockQueue }
  const askedMs = Date.now()
  const end = new AbortController()
  const looking = client.connection
    .withAbortSignal(end.signal, () =>
      client.connection.withDeadline(askedMs + 2 * maxWaitMs, () =>
        client.workflowService.pollActivityTaskQueue({ namespace, taskQueue, identity }),
      ),
    )
    .catch(() => undefined)
  try {
    while (Date.now() - askedMs < maxWaitMs) {
      const answer = await client.workflowService.describeTaskQueue({ namespace, taskQueue, taskQueueType })
      const mine = (answer.pollers ?? []).find((poller) => poller.identity === identity)?.lastAccessTime
      if (mine) return askedMs - (Number(mine.seconds ?? 0) * 1000 + (mine.nanos ?? 0) / 1e6)
      await sleep(lookMs)
    }
    return undefined
  } finally {
    end.abort()
    await looking
  }
}
