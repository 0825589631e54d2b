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
  const entries = plans.flatMap(schedulesOf)
  const refused = entries.flatMap(({ id, inputs }): ScheduleChange[] =>
    'problem' in inputs
      ? [{ id, change: 'fail', error: { code: 'InvalidInput', message: inputs.problem } }]
      : [],
  )
  const isOfThese = (id: string): boolean =>
    plans.some(({ name }) => id === name || id.startsWith(`${name}.`))
  let asked: Promise<TriggerPause | undefined> | undefined
  const applied = await applySchedules({
    ...ports,
    orders: ordersOf(entries, connection),
    isToGo: (id) => !refused.some((one) => one.id === id) && (isEveryRunbook || isOfThese(id)),
    isDryRun,
    // Read once for all. Without an answer no schedule is made: it might start what a person has paused.
    readPause: () => {
      asked ??= openEventStore(ports).readPause()
      return asked
    },
  })
  return [...applied, ...refused]
}

/** The schedules for a Temporal server, without those that cannot start runs. */
export function ordersOf(
  entries: readonly ScheduleEntry[],
  connection: string | undefined,
): readonly ScheduleOrder[] {
  return entries.flatMap(({ inputs, ...entry }) => {
    if ('problem' in inputs) return []
    const order = { ...entry, inputs: inputs.given, catchUpMs: catchUpOf(entry.schedule) }
    return [{ ...order, ...(connection === undefined ? {} : { connection }) }]
  })
}
