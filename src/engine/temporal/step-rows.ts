import type { StepRecord } from '../../core/record/run-record.ts'
import type { StepRows } from '../../core/record/step-records.ts'

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
