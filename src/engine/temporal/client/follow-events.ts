import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import type { RecordedEvent } from '../../../core/record/run-record.ts'
import { type EventsPage, eventsQuery } from '../messages.ts'

/** How often a run is asked what is new. */
const lookMs = 100

/** The events of a run as they happen, until its end. */
export async function* followEvents(
  client: Client,
  runId: string,
  signal?: AbortSignal,
): AsyncGenerator<RecordedEvent> {
  let last = 0
  let execution: string | undefined
  while (!signal?.aborted) {
    const handle = client.workflow.getHandle(runId, execution)
    const page = await handle.query<EventsPage, [number]>(eventsQuery, last)
    for (const recorded of page.events) {
      last = recorded.seq
      yield recorded
      if (recorded.event.type === 'run_finished') return
    }
    // An execution that is over knows no more: the last one says who knows what follows.
    const isRead = execution !== undefined && !page.isMore
    execution = isRead ? undefined : (page.runId ?? execution)
    if (!page.isMore && !isRead) await sleep(lookMs, undefined, signal ? { signal } : {}).catch(() => {})
  }
}
