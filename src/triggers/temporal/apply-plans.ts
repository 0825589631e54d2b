import type { Plan } from '../../core/plan/index.ts'
import type { TriggerPause } from '../../engine/index.ts'
import type { ClientPorts } from '../../engine/temporal/client/index.ts'
import { openEventStore } from '../../engine/temporal/received-events/index.ts'
import {
  applySchedules,
  type ScheduleChange,
  type ScheduleOrder,
} from '../../engine/temporal/schedules/index.ts'
import { catchUpOf } from '../schedules/evaluate-schedule.ts'
import { type ScheduleEntry, schedulesOf } from '../schedules/schedule-entry.ts'

/** The runbooks whose schedules a Temporal server should have. */
export interface ApplyPlansOptions {
  readonly ports: ClientPorts
  readonly plans: readonly Plan[]
  /** Also removes the schedules of all other runbooks. */
  readonly isEveryRunbook: boolean
  /** Name of the connection of runs whose steps name none. */
  readonly connection?: string
  /** Reports the changes and makes none. */
  readonly isDryRun?: boolean
}

/** Makes the schedules of a task queue match these runbooks. Without runbooks, changes nothing. */
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
    // Read once for all. Without an answer no schedule is made: it might start what a person has paused.
    readPause: () => {
      asked ??= openEventStore(ports).readPause()
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

/** A schedule that cannot start runs, and why. */
export interface ImpossibleSchedule {
  readonly id: string
  readonly problem: string
}

/** The schedules for a Temporal server, and those that cannot start runs. */
export function ordersOf(
  entries: readonly ScheduleEntry[],
  connection: string | undefined,
): { readonly orders: readonly ScheduleOrder[]; readonly impossible: readonly ImpossibleSchedule[] } {
  const orders: ScheduleOrder[] = []
  const impossible: ImpossibleSchedule[] = []
  for (const { id, plan, trigger, schedule, inputs } of entries) {
    if ('problem' in inputs) {
      impossible.push({ id, problem: inputs.problem })
      continue
    }
    const catchUpMs = catchUpOf(schedule)
    const common = { id, plan, trigger, schedule, catchUpMs, inputs: inputs.given }
    orders.push({ ...common, ...(connection === undefined ? {} : { connection }) })
  }
  return { orders, impossible }
}
