import { rhythmOf } from '../../core/triggers/rhythm-of.ts'
import type { ScheduleRecord } from '../../core/triggers/schedule-record.ts'
import { nextStarts } from './next-starts.ts'
import type { ScheduleEntry } from './schedule-entry.ts'

const shownTimes = 5

/** How a schedule stands that a runbook names and nobody carries out yet. */
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

/** The next times as people and programs see them. */
export function nextTimes(schedule: ScheduleEntry['schedule'], nowMs: number): readonly string[] {
  return nextStarts(schedule, nowMs, shownTimes).map((timeMs) => new Date(timeMs).toISOString())
}

/**
 * What is carried out, held against what runbooks name: in the order of the ids. `isUnsure` says of which runbooks nobody
 * knows what they name: what they have left is carried out as it was.
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
  // Whoever serves may know runbooks of another folder.
  if (!entry) return record.is_served ? record : { ...record, state: 'left' }
  if (record.state === 'paused' || !('problem' in entry.inputs)) return record
  return { ...record, state: 'broken', problem: entry.inputs.problem }
}
