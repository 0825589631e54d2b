import type { Plan } from '../../../core/plan.ts'
import { createPlanIndex } from '../../../core/record/plan-index.ts'
import type { RecordedEvent, StepRecord } from '../../../core/record/run-record.ts'
import { createStepRecords } from '../../../core/record/step-records.ts'
import { createStepRows } from '../step-rows.ts'

/** The records of all steps, those of items too, which the workflow itself does not keep. */
export function stepsOf(plan: Plan, events: Iterable<RecordedEvent>): readonly StepRecord[] {
  const rows = createStepRows([])
  const records = createStepRecords(createPlanIndex(plan), rows, true)
  for (const { event } of events)
    for (const { record, position } of records.take(event)) rows.write(record, position)
  return rows.list()
}
