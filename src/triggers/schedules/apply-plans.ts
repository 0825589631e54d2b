import type { Plan } from '../../core/plan.ts'
import type { TriggerPause } from '../../engine/event-book.ts'
import type { ClientPorts } from '../../engine/temporal/client/talk-to-run.ts'
import { openEventBook } from '../../engine/temporal/events/event-book.ts'
import { applySchedules, type ScheduleChange } from '../../engine/temporal/schedules/apply-schedules.ts'
import { ordersOf } from './orders-of.ts'
import { schedulesOf } from './schedule-entry.ts'

/** Whose schedules a Temporal server is to have. */
export interface ApplyPlansOptions {
  readonly ports: ClientPorts
  readonly plans: readonly Plan[]
  /** There are no others: schedules of runbooks that are not among these go. */
  readonly isEveryRunbook: boolean
  /** Name of the connection of runs whose steps name none. */
  readonly connection?: string
  /** Says what would be done, and does nothing. */
  readonly isDryRun?: boolean
}

/** Makes the schedules of a task queue what these runbooks say. Where there are no runbooks, nothing is changed. */
export async function applyPlans({
  ports,
  plans,
  isEveryRunbook,
  connection,
  isDryRun = false,
}: ApplyPlansOptions): Promise<readonly ScheduleChange[]> {
  if (plans.length === 0) return []
  const { orders, impossible } = ordersOf(plans.flatMap(schedulesOf), connection)
  const isOfThese = (id: string): boolean =>
    plans.some(({ name }) => id === name || id.startsWith(`${name}.`))
  let asked: Promise<TriggerPause | undefined> | undefined
  const applied = await applySchedules({
    ...ports,
    orders,
    isToGo: (id) => !impossible.some((one) => one.id === id) && (isEveryRunbook || isOfThese(id)),
    isDryRun,
    // Once for all. Where nobody can say, one that is made might start what a person has paused.
    readPause: () => {
      asked ??= openEventBook(ports).readPause()
      return asked
    },
  })
  const refused = impossible.map(
    ({ id, problem: message }): ScheduleChange => ({
      id,
      change: 'fail',
      error: { code: 'InvalidInput', message },
    }),
  )
  return [...applied, ...refused]
}
