import type { TimedRunEvent } from '../../core/events.ts'
import type { PlanIndex } from '../../core/record/plan-index.ts'
import type { StepRecord } from '../../core/record/run-record.ts'
import type { StepRows } from '../../core/record/step-records.ts'

/**
 * Tells what happens from what a resumed run only goes over again: an event of a step that had ended before, and has
 * been recorded then.
 */
export function createReplayFilter(
  index: PlanIndex,
  rows: StepRows,
  isNew: boolean,
): (event: TimedRunEvent) => boolean {
  if (isNew) return () => false
  const before = new Map(rows.readOutsideLoops().map(({ path, status }) => [path, status]))
  return (event) => {
    if (!('path' in event)) return false
    const path = index.ownerOf(event.path)?.path ?? event.path
    const status = before.get(path) ?? (path.includes('[') ? rows.read(path)?.status : undefined)
    if (status === undefined || isOpen.has(status)) return false
    return event.type !== 'step_finished' || event.status === status
  }
}

const isOpen: ReadonlySet<StepRecord['status']> = new Set(['pending', 'running', 'interrupted'])
