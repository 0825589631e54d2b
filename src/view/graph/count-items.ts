import type { StepStatus } from '../../core/events.ts'
import { withoutPositions } from '../../core/plan/index.ts'
import type { RecordedEvent } from '../../core/record/index.ts'
import type { ItemCounts } from './graph.ts'

/** Counts the items of each loop, by its path without positions: those of a loop inside a loop together. */
export function countItems(events: Iterable<RecordedEvent>): ReadonlyMap<string, ItemCounts> {
  const loops = new Map<string, Loop>()
  /** What became of each item; a resume repeats some. */
  const items = new Map<string, StepStatus | 'running'>()
  /** How many items the batch of a step has that runs. */
  const batches = new Map<string, number>()
  const groups = new Map<string, ItemCounts>()
  for (const { event } of events) {
    switch (event.type) {
      case 'items_counted':
        loops.set(event.path, { unit: event.is_limit ? 'turns' : 'items', total: event.total })
        break
      case 'item_started':
        items.set(event.path, 'running')
        break
      case 'item_finished':
        items.set(event.path, event.status)
        break
      case 'groups_counted':
        // Later rounds repeat what failed.
        if (!batches.has(event.path)) batches.set(event.path, event.items)
        break
      case 'step_finished': {
        const total = batches.get(event.path)
        batches.delete(event.path)
        // A loop counts its items; those of a batch in each of them would be another number.
        if (total === undefined || loops.has(event.path) || event.path.includes('[')) break
        const failed = event.failed_items?.failed ?? 0
        const isKnown = failed > 0 || event.status === 'succeeded'
        const counts = isKnown ? { succeeded: total - failed, failed } : { [event.status]: total }
        const ended = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
        groups.set(event.path, { unit: 'items', total, ended, open: 0 })
      }
    }
  }
  const counted = new Map<string, Counting>()
  for (const [path, { unit, total }] of loops) {
    const counts = counted.get(withoutPositions(path)) ?? { unit, total: 0, ended: {}, open: 0 }
    counts.total += total
    counted.set(withoutPositions(path), counts)
  }
  for (const [path, status] of items) {
    const counts = counted.get(withoutPositions(path.slice(0, path.lastIndexOf('['))))
    if (!counts) continue
    if (status === 'running') counts.open++
    else counts.ended[status] = (counts.ended[status] ?? 0) + 1
  }
  return new Map([...groups, ...counted])
}

interface Loop {
  readonly unit: ItemCounts['unit']
  readonly total: number
}

type Counting = { -readonly [Key in keyof ItemCounts]: ItemCounts[Key] } & {
  readonly ended: Partial<Record<StepStatus, number>>
}
