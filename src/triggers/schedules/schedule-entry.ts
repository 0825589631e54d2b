import { evaluateTemplate } from '../../core/forecast/known.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan.ts'
import { checkInputs } from '../../load/index.ts'
import type { Schedule } from './next-starts.ts'

/** A schedule of a runbook. */
export interface ScheduleEntry {
  /** The name of the runbook; of one with several schedules, the second is `name.2`. */
  readonly id: string
  readonly plan: Plan
  /** Place of the trigger in the list of the runbook. */
  readonly trigger: number
  readonly schedule: Schedule
  /** What its runs are started with, or why that cannot be said. */
  readonly inputs: ScheduledInputs
}

/** Checked inputs, defaults filled in; or what is wrong with them. */
export type ScheduledInputs = { readonly given: JsonObject } | { readonly problem: string }

/** The schedules of a runbook, in the order in which it names them. */
export function schedulesOf(plan: Plan): readonly ScheduleEntry[] {
  const schedules = (plan.triggers ?? []).flatMap((schedule, trigger) =>
    schedule.type === 'schedule' ? [{ schedule, trigger }] : [],
  )
  return schedules.map(({ schedule, trigger }, index) => ({
    id: index === 0 ? plan.name : `${plan.name}.${index + 1}`,
    plan,
    trigger,
    schedule,
    inputs: inputsOf(plan, schedule),
  }))
}

/** They are the same each time: nothing that expressions of a schedule see changes. */
function inputsOf(plan: Plan, schedule: Schedule): ScheduledInputs {
  const evaluated =
    schedule.with === undefined
      ? ({ state: 'known', value: {} } as const)
      : evaluateTemplate(schedule.with, {})
  if (evaluated.state === 'failed') return { problem: evaluated.message }
  if (evaluated.state === 'unknown')
    return { problem: `a schedule does not know ${evaluated.needs.join(', ')}` }
  const { inputs, problems } = checkInputs(plan, evaluated.value as JsonObject)
  if (problems.length === 0) return { given: inputs }
  return { problem: problems.map(({ path, message }) => `${path} ${message}`.trim()).join('; ') }
}
