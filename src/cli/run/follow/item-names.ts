import type { TimedRunEvent } from '../../../core/events.ts'
import { itemText, mostNameCharacters } from '../../../core/item-name.ts'
import type { JsonValue } from '../../../core/json.ts'
import type { Masking } from '../../../core/mask/mask.ts'
import { nameWithin } from './places.ts'

/** Which item of a loop something belongs to. */
export interface ItemFacts {
  readonly index: number
  /** Left out: the record does not say it. */
  readonly item?: string
}

/** Names the items of loops wherever their paths are shown: at most 60 characters each, what is sensitive hidden. */
export interface ItemNames {
  take(event: TimedRunEvent): void
  /** The innermost item that a path leads into. `atMs`: as it was then, before a resume has changed the list. */
  facts(path: string, atMs?: number): ItemFacts | undefined
  /** The path, as it is called inside `outer`, and its items: `hosts[3]/checks (web-01)`. Raw text. */
  label(path: string, outer?: string, atMs?: number): string
}

interface Named {
  readonly fromMs: number
  readonly item: JsonValue
}

/** Names for the items that events tell of. `mask`: hides what names must not show. */
export function createItemNames(mask?: Masking): ItemNames {
  const known = new Map<string, readonly Named[]>()
  const nameOf = (path: string, atMs = Number.POSITIVE_INFINITY): string | undefined => {
    const named = known.get(path)?.findLast(({ fromMs }) => fromMs <= atMs)
    if (!named) return undefined
    const text = itemText(named.item)
    const characters = [...(mask ? mask.text(text) : text)]
    if (characters.length <= mostNameCharacters) return characters.join('')
    return `${characters.slice(0, mostNameCharacters - 1).join('')}…`
  }
  return {
    take(event) {
      if (event.type !== 'item_started') return
      const { path, item } = event
      const before = known.get(path) ?? []
      const last = before.at(-1)
      if (last && JSON.stringify(last.item) === JSON.stringify(item)) return
      known.set(path, [...before, { fromMs: Date.parse(event.at), item }])
    },
    facts(path, atMs) {
      const itemPath = itemsOf(path).at(-1)
      if (itemPath === undefined) return undefined
      const item = nameOf(itemPath, atMs)
      const index = Number(itemPath.slice(itemPath.lastIndexOf('[') + 1, -1))
      return { index, ...(item === undefined ? {} : { item }) }
    },
    label(path, outer = '', atMs) {
      const isInside = path.startsWith(outer)
      const names = itemsOf(path)
        .filter((item) => !isInside || item.length > outer.length)
        .flatMap((item) => nameOf(item, atMs) ?? [])
      return nameWithin(path, outer) + (names.length === 0 ? '' : ` (${names.join(', ')})`)
    },
  }
}

/** The items that a path leads into, outermost first: of `a[1]/b[2]/c` `a[1]` and `a[1]/b[2]`. */
function itemsOf(path: string): readonly string[] {
  return [...path.matchAll(/\[\d+\]/g)].map(({ index, 0: part }) => path.slice(0, index + part.length))
}
