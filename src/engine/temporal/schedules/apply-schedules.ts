import { ScheduleAlreadyRunning, type ScheduleDescription, type ScheduleHandle } from '@temporalio/client'
import { type ErrorData, errorData } from '../../../core/run-error.ts'
import type { TriggerPause } from '../../index.ts'
import { type ClientPorts, serverError } from '../client/client-ports.ts'
import { refuseTooLarge } from '../client/start-options.ts'
import type { RunMemo } from '../run-listing.ts'
import { noteOfAll } from './pause-all.ts'
import { ifThere, listOwned, serverIdOf } from './schedule-ids.ts'
import { type ScheduleOrder, type ServerSchedule, serverScheduleOf } from './scheduled-run.ts'

/** The schedules that a task queue should have. */
export interface ApplyOptions extends ClientPorts {
  readonly orders: readonly ScheduleOrder[]
  /** Whether a schedule on the server that is not among those is removed. */
  readonly isToGo: (id: string) => boolean
  /**
   * Reads whether automatic starts are paused: then new schedules are paused too. Where it rejects, none is
   * made.
   */
  readonly readPause?: () => Promise<TriggerPause | undefined>
  /** Reports the changes and makes none. */
  readonly isDryRun?: boolean
}

/** The change of one schedule. */
export interface ScheduleChange {
  readonly id: string
  readonly change: 'create' | 'update' | 'keep' | 'delete' | 'fail'
  /** Why the change failed; other schedules are still changed. */
  readonly error?: ErrorData
}

/**
 * Makes the schedules of a task queue on the server match the runbooks, and touches no others. A paused schedule
 * stays paused. Several processes may do the same at the same time.
 */
export async function applySchedules(options: ApplyOptions): Promise<readonly ScheduleChange[]> {
  const { client, taskQueue, orders, isToGo, isDryRun = false } = options
  const changes: ScheduleChange[] = []
  const attempt = async (id: string, work: () => Promise<ScheduleChange['change']>): Promise<void> => {
    try {
      changes.push({ id, change: await work() })
    } catch (thrown) {
      const error = errorData(serverError(thrown, options))
      // An error of the server ends all changes.
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
      if (!isDryRun) await ifThere(client.schedule.getHandle(serverIdOf(taskQueue, id)).delete())
      return 'delete'
    })
  }
  return changes
}

async function applyOne(
  { client, taskQueue, readPause, isDryRun }: ApplyOptions,
  order: ScheduleOrder,
): Promise<ScheduleChange['change']> {
  const wanted = serverScheduleOf(order, taskQueue)
  for (const sent of wanted.options.action.args ?? []) await refuseTooLarge(client, sent as object)
  const scheduleId = serverIdOf(taskQueue, order.id)
  const handle = client.schedule.getHandle(scheduleId)
  const there = await ifThere(handle.describe())
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
    // Another process has made it.
    if (!(thrown instanceof ScheduleAlreadyRunning)) throw thrown
    await update(handle, wanted)
    return 'update'
  }
}

function hashOf({ action }: ScheduleDescription): unknown {
  return (action.memo as RunMemo | undefined)?.scheduleHash
}

/** An update replaces everything, whether it is paused included. */
function update(handle: ScheduleHandle, { options }: ServerSchedule): Promise<void> {
  return handle.update(({ state }) => ({ ...options, state }))
}
