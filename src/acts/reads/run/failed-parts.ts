import type { FailedItems, Warning } from '../../../core/events.ts'
import { createRunMemory, type RecordedEvent } from '../../../core/record/index.ts'

/**
 * What failed in a step, by what it says: its own failed items, and those that loops and batches in it tolerate. A step
 * that ran again counts as it ended last.
 */
export function failedParts(events: Iterable<RecordedEvent>, step: string): readonly Warning[] {
  const ends = new Map<string, FailedItems | undefined>()
  for (const { event } of events) {
    if (event.type !== 'step_finished' && event.type !== 'item_finished') continue
    // What too many failures inside were is with those of the loop around them.
    const counts = event.path === step || event.status === 'succeeded'
    ends.set(event.path, counts ? event.failed_items : undefined)
  }
  const memory = createRunMemory()
  for (const [path, failed] of ends) if (failed) memory.tolerate(path, failed)
  return memory.warnings().warnings ?? []
}
