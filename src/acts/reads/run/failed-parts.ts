import { withoutPositions } from '../../../core/plan/index.ts'
import type { RecordedEvent } from '../../../core/record/index.ts'
import type { FailedPart } from '../../../documents/index.ts'
import type { ItemNames } from '../../../view/run/index.ts'

const mostKinds = 100

/** The items of loops and batches that failed, by step, code and name. A step that ran again counts as it ended last. */
export function failedParts(events: Iterable<RecordedEvent>, items: ItemNames): readonly FailedPart[] {
  const loops = new Set<string>()
  const ends = new Map<
    string,
    Extract<RecordedEvent['event'], { readonly type: 'step_finished' | 'item_finished' }>
  >()
  for (const { event } of events) {
    if (event.type === 'items_counted') loops.add(event.path)
    if (event.type === 'step_finished' || event.type === 'item_finished') ends.set(event.path, event)
  }
  const parts = new Map<string, FailedPart>()
  for (const { path, failed_items: failed } of ends.values())
    for (const kind of failed?.kinds ?? []) {
      const isLoop = loops.has(path)
      const key = JSON.stringify([withoutPositions(path), kind.code, kind.item])
      const known = parts.get(key)
      if (known === undefined && parts.size === mostKinds) continue
      const of = isLoop ? `${path}[${kind.index}]` : path
      const item = isLoop ? items.facts(of)?.item : kind.item
      const first = { ...kind, path: of, ...(item === undefined ? {} : { item }) }
      parts.set(key, known ? { ...known, count: known.count + kind.count } : first)
    }
  return [...parts.values()]
}
