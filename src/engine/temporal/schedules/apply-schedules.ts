import {
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
} from '@temporalio/client'
import { type ErrorData, errorData } from '../../../core/run-error.ts'
import type { TriggerPause } from '../../event-book.ts'
import { refuseTooLarge } from '../client/refuse-too-large.ts'
import { type ClientPorts, serverError } from '../client/talk-to-run.ts'
import type { RunMemo } from '../run-memo.ts'
import { listOwned } from './list-owned.ts'
import { noteOfAll } from './pause-all.ts'
import { serverIdOf } from './schedule-ids.ts'
import { type ScheduleOrder, type ServerSchedule, serverScheduleOf } from './scheduled-run.ts'

/** What is to become of the schedules of a task queue. */
export interface ApplyOptions extends ClientPorts {
  readonly orders: readonly ScheduleOrder[]
  /** Whether a schedule that is on the server, and not among those, is to go. */
  readonly isToGo: (id: string) => boolean
  /**
   * Whether everything that starts by itself is paused: so is a schedule that is made now. Where it rejects, none is made.
   */
  readonly readPause?: () => Promise<TriggerPause | undefined>
  /** Says what would be done, and does nothing. */
  readonly isDryRun?: boolean
}

/** What becomes of one schedule. */
export interface ScheduleChange {
  readonly id: string
  readonly change: 'create' | 'update' | 'keep' | 'delete' | 'fail'
  /** Why it failed; the others go on. */
  readonly error?: ErrorData
}

/**
 * Makes the schedules of a task queue on the server what the runbooks say, and touches no others. One that is paused
 * stays paused. Several processes may do the same at a time.
 */
export async function applySchedules(options: ApplyOptions): Promise<readonly ScheduleChange[]> {
  const { client, taskQueue, orders, isToGo, isDryRun = false } = options
  const changes: ScheduleChange[] = []
  const attempt = async (id: string, work: () => Promise<ScheduleChange['change']>): Promise<void> => {
    try {
      changes.push({ id, change: await work() })
    } catch (thrown) {
      const error = errorData(serverError(thrown, options))
      // What holds for the server holds for all.
      if (error.code === 'TemporalUnavailable' || error.code === 'TemporalDenied')
        throw serverError(thrown, options)
      changes.push({ id, change: 'fail', error })
    }
  }
  for (const order of orders) await attempt(order.id, () => applyOne(options, order))
  const wanted = new Set(orders.map(({ id }) => id))
  for (const id of await listOwned(options)) {
    if (wanted.has(id) || !isToGo(id)) continue
    await attempt(id, async () => {
      if (!isDryRun) await remove(client.schedule.getHandle(serverIdOf(taskQueue, id)))
      return 'delete'
    })
  }
  return changes
}

async function applyOne(
  { client, taskQueue, readPause, isDryRun }: ApplyOptions,
  order: ScheduleOrder,
): Promise<ScheduleChange['change']> {
  const wanted = serverScheduleOf(order, { client, taskQueue })
  await refuseTooLarge(client, wanted.start)
  const scheduleId = serverIdOf(taskQueue, order.id)
  const handle = client.schedule.getHandle(scheduleId)
  const there = await describe(handle)
  if (there && hashOf(there) === wanted.hash) return 'keep'
  if (isDryRun) return there ? 'update' : 'create'
  if (there) {
    await update(handle, wanted)
    return 'update'
  }
  const pause = await readPause?.()
  try {
    const state = pause ? { state: { paused: true, note: noteOfAll(pause) } } : {}
    await client.schedule.create({ scheduleId, ...wanted.options, ...state })
    return 'create'
  } catch (thrown) {
    // Somebody else was faster.
    if (!(thrown instanceof ScheduleAlreadyRunning)) throw thrown
    await update(handle, wanted)
    return 'update'
  }
}

/** Undefined: it is not there. */
async function describe(handle: ScheduleHandle): Promise<ScheduleDescription | undefined> {
  try {
    return await handle.describe()
  } catch (thrown) {
    if (thrown instanceof ScheduleNotFoundError) return undefined
    throw thrown
  }
}

function hashOf({ action }: ScheduleDescription): unknown {
  return (action.memo as RunMemo | undefined)?.scheduleHash
}

/** An update replaces everything, whether it is paused included. */
function update(handle: ScheduleHandle, { options }: ServerSchedule): Promise<void> {
  return handle.update(({ state }) => ({ ...options, state }))
}

async function remove(handle: ScheduleHandle): Promise<void> {
  try {
    await handle.delete()
  } catch (thrown) {
    if (!(thrown instanceof ScheduleNotFoundError)) throw thrown
  }
}
