import { placesIn, withoutPlaces } from './call-names.ts'
import type { LeftBehind } from './left-behind.ts'

/** The items of the loops that are in no other loop. */
export interface LoopsBefore {
  /**
   * How many items of the loop around a step count, such as `2 of 3 items reused`; `all` where the step has no more
   * calls to make. Undefined: the step is in no loop that has begun.
   */
  countsOf(path: string): string | undefined
}

interface Loop {
  readonly total: number
  /** They are turns, and fewer may be enough. */
  readonly isLimit: boolean
  /** The items that the run does not reach again. */
  readonly ended: Set<number>
}

/** Reads from the events how far each loop has come. */
export function gatherLoops(
  { events, reusables, steps, plain }: Pick<LeftBehind, 'events' | 'reusables' | 'steps' | 'plain'>,
  isOver: (path: string) => boolean,
): LoopsBefore {
  const loops = readLoops(events, plain === 'stopped')
  const done = new Set(reusables.flatMap(({ outcome, path }) => (outcome === 'done' ? [path] : [])))
  for (const { path, status } of steps) if (status === 'succeeded' || status === 'skipped') done.add(path)
  const undone = new Set(
    reusables.flatMap(({ outcome, path }) => (outcome === 'done' || done.has(path) ? [] : [path])),
  )
  const results = new Map<string, number>()
  for (const { outcome, path } of reusables) {
    const step = withoutPlaces(path)
    if (outcome === 'done' && placesIn(path) === 1) results.set(step, (results.get(step) ?? 0) + 1)
  }
  return {
    countsOf(path) {
      const name = [...loops.keys()].find((one) => path === one || path.startsWith(`${one}/`))
      const loop = name === undefined ? undefined : loops.get(name)
      if (name === undefined || !loop) return undefined
      const { total, isLimit, ended } = loop
      const rest = path.slice(name.length)
      const isDone = (place: number): boolean => {
        const here = `${name}[${place}]${rest}`
        return ended.has(place) || (done.has(here) && !undone.has(here))
      }
      const count = Array.from({ length: total }, (_, place) => place).filter(isDone).length
      // After a change an item may have been done at another place.
      const isWhole = count === total || (results.get(path) ?? 0) >= total
      if (isOver(name) || (!isLimit && isWhole)) return 'all'
      if (count === 0) return ''
      return isLimit
        ? `${count} ${count === 1 ? 'turn' : 'turns'} reused`
        : `${count} of ${total} items reused`
    },
  }
}

/** A run that only stopped does not try its failed items again. */
function readLoops(events: LeftBehind['events'], countsFailed: boolean): ReadonlyMap<string, Loop> {
  const loops = new Map<string, Loop>()
  for (const event of events) {
    if (event.type === 'items_counted' && withoutPlaces(event.path) === event.path)
      loops.set(event.path, {
        total: event.total,
        isLimit: event.is_limit === true,
        ended: new Set(),
      })
    if (event.type !== 'item_finished') continue
    const [, name = '', place] = /^([^[]*)\[(\d+)\]$/.exec(event.path) ?? []
    const isEnded = event.status === 'succeeded' || event.status === 'skipped' || countsFailed
    if (isEnded) loops.get(name)?.ended.add(Number(place))
    else loops.get(name)?.ended.delete(Number(place))
  }
  return loops
}
