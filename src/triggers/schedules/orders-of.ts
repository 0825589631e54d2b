import type { ScheduleOrder } from '../../engine/temporal/schedules/scheduled-run.ts'
import { catchUpOf } from './due-time.ts'
import type { ScheduleEntry } from './schedule-entry.ts'

/** A schedule whose runs cannot be started, and why. */
export interface ImpossibleSchedule {
  readonly id: string
  readonly problem: string
}

/** The schedules as a Temporal server is to have them, and those that cannot be had. */
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
