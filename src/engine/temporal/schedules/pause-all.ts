import { ScheduleNotFoundError } from '@temporalio/client'
import type { TriggerPause } from '../../event-book.ts'
import type { ClientPorts } from '../client/talk-to-run.ts'
import { listOwned } from './list-owned.ts'
import { noteOfPause } from './pause-note.ts'
import { serverIdOf } from './schedule-ids.ts'

const mark = 'with all triggers, '

/** What stands beside a schedule that is paused since everything is. */
export function noteOfAll(pause: TriggerPause): string {
  return `${mark}${noteOfPause(pause)}`
}

/**
 * Lets all schedules of a task queue start nothing, or with `undefined` those start again that were paused by this: one that
 * a person has paused by itself stays paused.
 */
export async function pauseAll(ports: ClientPorts, pause: TriggerPause | undefined): Promise<void> {
  for (const id of await listOwned(ports)) {
    const handle = ports.client.schedule.getHandle(serverIdOf(ports.taskQueue, id))
    try {
      const { paused, note = '' } = (await handle.describe()).state
      if (pause && !paused) await handle.pause(noteOfAll(pause))
      if (!pause && paused && note.startsWith(mark)) await handle.unpause('not paused any more')
    } catch (thrown) {
      // It has gone in between.
      if (!(thrown instanceof ScheduleNotFoundError)) throw thrown
    }
  }
}
