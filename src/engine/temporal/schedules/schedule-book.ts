import { type ScheduleDescription, type ScheduleHandle, ScheduleNotFoundError } from '@temporalio/client'
import { RunbookError } from '../../../core/run-error.ts'
import { rhythmOf } from '../../../core/triggers/rhythm-of.ts'
import type { ScheduleRecord } from '../../../core/triggers/schedule-record.ts'
import type { ScheduleBook } from '../../schedule-book.ts'
import { type ClientPorts, placeOf, serverError } from '../client/talk-to-run.ts'
import { openEventBook } from '../events/event-book.ts'
import type { ScheduledStart } from '../messages.ts'
import { firesOf } from './fires-of.ts'
import { describeOwned } from './list-owned.ts'
import type { ScheduledOrder } from './messages.ts'
import { noteOfAll } from './pause-all.ts'
import { noteOfPause, pauseOfNote } from './pause-note.ts'
import { runbookOf } from './runbook-of.ts'
import { serverIdOf } from './schedule-ids.ts'
import { startByHand } from './start-by-hand.ts'

const shownTimes = 5

/** The schedules of a task queue. Closes the connection of the client with itself. */
export function openScheduleBook(ports: ClientPorts): ScheduleBook {
  const { client, taskQueue } = ports
  const { address, namespace } = placeOf(ports)
  const place = `"${namespace}" at ${address}`
  const handleOf = (id: string): ScheduleHandle => client.schedule.getHandle(serverIdOf(taskQueue, id))
  const asking = async <T>(id: string, ask: (handle: ScheduleHandle) => Promise<T>): Promise<T> => {
    try {
      return await ask(handleOf(id))
    } catch (thrown) {
      throw thrown instanceof ScheduleNotFoundError ? noSchedule(id, place) : serverError(thrown, ports)
    }
  }
  return {
    kind: 'temporal',
    place,
    // The server has each of them paused.
    readAllPause: async () => undefined,
    async listSchedules() {
      const records: ScheduleRecord[] = []
      try {
        for await (const { id, described } of describeOwned(ports)) {
          const last = await firesOf(ports, id, described.info.recentActions)
          records.push({ ...recordOf(id, described), last })
        }
      } catch (thrown) {
        throw serverError(thrown, ports)
      }
      return records
    },
    async pause(id, pause) {
      // Of a server each is paused once: the pause of all takes the place of its own.
      const all = pause ? undefined : await openEventBook(ports).readPause()
      await asking(id, (handle) => {
        if (pause) return handle.pause(noteOfPause(pause))
        return all ? handle.pause(noteOfAll(all)) : handle.unpause('not paused any more')
      })
    },
    trigger: (id, by) =>
      asking(id, async (handle) => startByHand(ports, orderOf(await handle.describe()), by)),
    remove: (id) => asking(id, (handle) => handle.delete()),
    close: () => client.connection.close(),
  }
}

function noSchedule(id: string, place: string): RunbookError {
  return new RunbookError('InvalidInput', `there is no schedule ${id} in ${place}`, {
    notSent: true,
    next: '"opsbook schedules" lists those that are there; "opsbook schedules apply" makes those that runbooks name.',
  })
}

/** What the server starts. */
function orderOf({ action }: ScheduleDescription): ScheduledStart | ScheduledOrder {
  return (action.args?.[0] ?? {}) as ScheduledStart | ScheduledOrder
}

function recordOf(id: string, described: ScheduleDescription): Omit<ScheduleRecord, 'last'> {
  const { info, state } = described
  const order = orderOf(described)
  const { scheduled, plan }: Partial<ScheduledStart> = 'alone' in order ? order.start : order
  const schedule = plan?.triggers?.[scheduled?.trigger ?? 0]
  const { nextActionTimes, numActionsMissedCatchupWindow, numActionsSkippedOverlap } = info
  return {
    id,
    runbook: runbookOf(id, described),
    trigger: scheduled?.trigger ?? 0,
    // Nothing where it cannot be read here.
    ...(schedule?.type === 'schedule' ? rhythmOf(schedule) : {}),
    state: state.paused ? 'paused' : nextActionTimes.length === 0 ? 'ended' : 'active',
    ...(state.paused ? { paused: pauseOfNote(state.note) } : {}),
    next: nextActionTimes.slice(0, shownTimes).map((time) => time.toISOString()),
    missed: numActionsMissedCatchupWindow,
    overlapped: numActionsSkippedOverlap,
  }
}
