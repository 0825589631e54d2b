import { Cron } from 'croner'
import { evaluateTemplate } from '../../core/expressions/index.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan, TriggerPlan } from '../../core/plan/index.ts'
import { checkedCron } from '../../core/times/index.ts'
import { rhythmOf, type ScheduleRecord } from '../../core/triggers/index.ts'
import { checkInputs } from '../../load/index.ts'

/** A schedule of a runbook. */
export interface ScheduleEntry {
  /** The name of the runbook; of one with several schedules, the second is `name.2`. */
  readonly id: string
  readonly plan: Plan
  /** Place of the trigger in the list of the runbook. */
  readonly trigger: number
  readonly schedule: Schedule
  /** The inputs of its runs, or why there are none. */
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

/** The inputs are constant: expressions of a schedule see nothing that changes. */
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

const shownTimes = 5

/** The record of a schedule that a runbook names and no process runs. */
function missingRecord({ id, plan, trigger, schedule }: ScheduleEntry, nowMs: number): ScheduleRecord {
  return {
    id,
    runbook: plan.name,
    trigger,
    state: 'missing',
    ...rhythmOf(schedule),
    next: nextTimes(schedule, nowMs),
    last: [],
    missed: 0,
  }
}

/** The next times in RFC 3339. */
export function nextTimes(schedule: ScheduleEntry['schedule'], nowMs: number): readonly string[] {
  return nextStarts(schedule, nowMs, shownTimes).map((timeMs) => new Date(timeMs).toISOString())
}

/**
 * The schedules of an engine compared with those that runbooks name, in the order of their ids. `isUnsure` marks
 * runbooks that cannot be read: their schedules stay as they are.
 */
export function compareEntries(
  records: readonly ScheduleRecord[],
  entries: readonly ScheduleEntry[],
  nowMs: number,
  isUnsure: (runbook: string) => boolean = () => false,
): readonly ScheduleRecord[] {
  const named = new Map(entries.map((entry) => [entry.id, entry]))
  const known = new Set(records.map(({ id }) => id))
  return [
    ...records.map((record) =>
      isUnsure(record.runbook) ? record : compareOne(record, named.get(record.id)),
    ),
    ...entries.filter(({ id }) => !known.has(id)).map((entry) => missingRecord(entry, nowMs)),
  ].toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

function compareOne(record: ScheduleRecord, entry: ScheduleEntry | undefined): ScheduleRecord {
  // A running `serve` may know runbooks of another folder.
  if (!entry) return record.is_served ? record : { ...record, state: 'left' }
  if (record.state === 'paused' || !('problem' in entry.inputs)) return record
  return { ...record, state: 'broken', problem: entry.inputs.problem }
}

/** A schedule of a plan. */
export type Schedule = TriggerPlan & { readonly type: 'schedule' }

/**
 * The next times of a schedule after this one, in Unix milliseconds. `every` counts from 1970, so that its times do not
 * depend on the process.
 */
export function nextStarts(
  { cron, timezone, everyMs = 0 }: Schedule,
  afterMs: number,
  count: number,
): readonly number[] {
  if (cron !== undefined) return cronTimes(cron, timezone, afterMs, count)
  if (everyMs <= 0) return []
  const first = Math.floor(afterMs / everyMs) + 1
  return Array.from({ length: count }, (_, index) => (first + index) * everyMs)
}

function cronTimes(cron: string, timezone: string, fromMs: number, count: number): readonly number[] {
  const { fields, isEitherDay } = checkedCron(cron)
  const job = new Cron(Object.values(fields).join(' '), {
    paused: true,
    timezone,
    mode: '5-part',
    domAndDow: !isEitherDay,
  })
  return job.nextRuns(count, new Date(fromMs)).map((time) => time.getTime())
}
