import type { TimedRunEvent } from '../../../core/events.ts'
import type { JsonValue } from '../../../core/json.ts'
import type { Masking } from '../../../core/mask/index.ts'
import { itemIndex, itemName, itemPathsOf, shortItem } from '../../../core/record/index.ts'
import { nameWithin } from './step-paths.ts'

/** Which item of a loop something belongs to. */
export interface ItemFacts {
  readonly index: number
  /** Left out if it is not recorded. */
  readonly item?: string
}

/** Names the items of loops where their paths are shown: at most 60 characters each, with sensitive values masked. */
export interface ItemNames {
  take(event: TimedRunEvent): void
  /** The innermost item of a path. `atMs`: the item at that time, before a resume changed the list. */
  facts(path: string, atMs?: number): ItemFacts | undefined
  /** The path relative to `outer`, and its items: `hosts[3]/checks (web-01)`. Raw text. */
  label(path: string, outer?: string, atMs?: number): string
}

interface Named {
  readonly fromMs: number
  readonly item: JsonValue
}

/**
 * Takes the names of items from events, and those of items that were not begun from `itemsOf` a loop. `mask` hides what
 * names must not show.
 */
export function createItemNames(
  mask?: Pick<Masking, 'text'>,
  itemsOf: (loop: string) => readonly JsonValue[] = () => [],
): ItemNames {
  const known = new Map<string, readonly Named[]>()
  const lists = new Map<string, readonly JsonValue[]>()
  const nameOf = (path: string, atMs = Number.POSITIVE_INFINITY): string | undefined => {
    const named = known.get(path)?.findLast(({ fromMs }) => fromMs <= atMs)
    if (named) return itemName(named.item, mask)
    const item = lists.get(path.slice(0, path.lastIndexOf('[')))?.[itemIndex(path)]
    return item === undefined ? undefined : itemName(shortItem(item), mask)
  }
  return {
    take(event) {
      if (event.type === 'items_counted' && !event.is_limit) {
        const items = itemsOf(event.path)
        if (items.length === event.total) lists.set(event.path, items)
      }
      if (event.type !== 'item_started' || event.item === undefined) return
      const { path, item } = event
      const before = known.get(path) ?? []
      const last = before.at(-1)
      if (last && JSON.stringify(last.item) === JSON.stringify(item)) return
      known.set(path, [...before, { fromMs: Date.parse(event.at), item }])
    },
    facts(path, atMs) {
      const itemPath = itemPathsOf(path).at(-1)
      if (itemPath === undefined) return undefined
      const item = nameOf(itemPath, atMs)
      return { index: itemIndex(itemPath), ...(item === undefined ? {} : { item }) }
    },
    label(path, outer = '', atMs) {
      const isInside = path.startsWith(outer)
      const names = itemPathsOf(path)
        .filter((item) => !isInside || item.length > outer.length)
        .flatMap((item) => nameOf(item, atMs) ?? [])
      return nameWithin(path, outer) + (names.length === 0 ? '' : ` (${names.join(', ')})`)
    },
  }
}
