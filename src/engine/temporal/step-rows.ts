import type { Plan } from '../../core/plan/index.ts'
import {
  createPlanIndex,
  createStepRecords,
  type RecordedEvent,
  type StepRecord,
  type StepRows,
} from '../../core/record/index.ts'

/** The records of steps in memory, in the order of their positions. */
export function createStepRows(before: readonly StepRecord[]): StepRows & { list(): readonly StepRecord[] } {
  const rows = new Map(before.map((record, position) => [record.path, { record, position }] as const))
  let last = before.length - 1
  return {
    write(record, position) {
      const known = rows.get(record.path)
      const startedAt = known?.record.started_at ?? record.started_at
      rows.set(record.path, {
        record: startedAt === undefined ? record : { ...record, started_at: startedAt },
        position: known?.position ?? position,
      })
      last = Math.max(last, position)
    },
    read: (path) => rows.get(path)?.record,
    readOutsideLoops: () => before.filter(({ path }) => !path.includes('[')),
    lastPosition: () => last,
    list: () =>
      [...rows.values()].sort((one, other) => one.position - other.position).map(({ record }) => record),
  }
}

/** The records of all steps, also of those of items, which the workflow does not keep. */
export function stepRecordsOf(plan: Plan, events: Iterable<RecordedEvent>): readonly StepRecord[] {
  const rows = createStepRows([])
  const records = createStepRecords(createPlanIndex(plan), rows, true)
  for (const { event } of events)
    for (const { record, position } of records.take(event)) rows.write(record, position)
  return rows.list()
}
