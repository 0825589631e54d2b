import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkflowHandle } from '@temporalio/client'
import type { RecordedEvent } from '../../../core/record/run-record.ts'
import { type EventsPage, eventsQuery } from '../messages.ts'

/** How often a run is asked what is new. */
const lookMs = 100

/** The events of a run as they happen, until its end. */
export async function* followEvents(
  handle: WorkflowHandle,
  signal?: AbortSignal,
): AsyncGenerator<RecordedEvent> {
  let last = 0
  while (!signal?.aborted) {
    const { events, isMore } = await handle.query<EventsPage, [number]>(eventsQuery, last)
    for (const recorded of events) {
      last = recorded.seq
      yield recorded
      if (recorded.event.type === 'run_finished') return
    }
    if (!isMore) await sleep(lookMs, undefined, signal ? { signal } : {}).catch(() => {})
  }
}
