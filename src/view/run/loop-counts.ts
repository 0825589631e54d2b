import type { FailedItems, FailureKind, StepStatus } from '../../core/events.ts'
import { countFailure, type FailureGroups, type ItemFailure } from './failure-groups.ts'
import { beginItemTime, endItemTime, type LoopTime } from './loop-time.ts'
import type { LoopFacts } from './run-view.ts'

/** An item that has begun. Times are Unix times in milliseconds. */
export interface ItemState {
  readonly index: number
  status: StepStatus | 'running'
  startedAt: number
  endedAt?: number
  error?: ItemFailure
  /** What failed inside of it and is tolerated. */
  tolerated?: FailedItems[]
  /** What became of it before the run was resumed, until it does something new. */
  before?: ItemState
}

/** The items of one loop. Each event costs the same, however many there are. */
export interface LoopCounts {
  readonly unit: 'items' | 'turns'
  readonly total: number
  readonly startedAtMs: number
  /** Only where its items are no nodes. */
  readonly time: LoopTime | undefined
  /** All items that have begun, by their positions. */
  readonly items: (ItemState | undefined)[]
  /** The longest first. */
  readonly inFlight: Map<number, ItemState>
  done: number
  failed: number
  readonly failures: FailureGroups
  /** What failed inside of its items and is tolerated. */
  readonly tolerated: FailureGroups
  /** How many items took how long, by bucket. */
  readonly took: number[]
  /** How many items ended in each of the last seconds, so that memory does not grow with the items. */
  readonly endedIn: Map<number, number>
}

/** The upper bounds of all buckets but the last, in milliseconds. */
const boundsMs = [100, 300, 1000, 3000, 10_000, 30_000, 60_000, 300_000, 1_800_000]

/** Letters of the cells. */
const letters: Readonly<Record<ItemState['status'], string>> = {
  succeeded: 's',
  failed: 'f',
  skipped: 'k',
  cancelled: 'c',
  unknown: 'u',
  running: 'r',
}

/** Whether an item counts as failed, also if a person resolves later that it did not. */
export function hasFailed(status: ItemState['status']): boolean {
  return status === 'failed' || status === 'unknown' || status === 'cancelled'
}

/**
 * The counts of a loop that begins. `earlier`: those from before the run was resumed. What has ended then, counts until it
 * begins again.
 */
export function loopCounts(
  loop: Pick<LoopCounts, 'unit' | 'total' | 'startedAtMs' | 'time'>,
  earlier: LoopCounts['items'] = [],
): LoopCounts {
  const counts: LoopCounts = {
    ...loop,
    items: [],
    inFlight: new Map(),
    done: 0,
    failed: 0,
    failures: { groups: new Map(), ungrouped: 0 },
    tolerated: { groups: new Map(), ungrouped: 0 },
    took: boundsMs.map(() => 0).concat(0),
    endedIn: new Map(),
  }
  for (const item of earlier.slice(0, loop.total)) {
    if (!item || item.status === 'running') continue
    counts.items[item.index] = item
    count(counts, item, 1)
  }
  return counts
}

export function beginItem(counts: LoopCounts, index: number, atMs: number): void {
  const { items, inFlight, time } = counts
  const before = items[index]
  const hasEnded = before !== undefined && before.status !== 'running'
  if (hasEnded) count(counts, before, -1)
  const item: ItemState = { index, status: 'running', startedAt: atMs, ...(hasEnded ? { before } : {}) }
  items[index] = item
  inFlight.delete(index)
  inFlight.set(index, item)
  if (time) beginItemTime(time, index, atMs)
}

/** An item does something itself: what it does is not replayed. */
export function workItem({ inFlight }: LoopCounts, index: number): void {
  delete inFlight.get(index)?.before
}

/** Items inside of an item in flight have failed, and that is tolerated. */
export function tolerateInItem({ inFlight }: LoopCounts, index: number, failed: FailedItems): void {
  const item = inFlight.get(index)
  if (!item) return
  item.tolerated ??= []
  item.tolerated.push(failed)
}

/** Whether an item succeeded although something inside of it failed. */
export function hasTolerated({ status, tolerated }: ItemState): boolean {
  return status === 'succeeded' && tolerated !== undefined
}

/** How many items inside of an item there were where some failed, and how many of them did. */
export function toleratedIn({ tolerated = [] }: ItemState): {
  readonly total: number
  readonly failed: number
} {
  const sum = (of: (one: FailedItems) => number): number => tolerated.reduce((all, one) => all + of(one), 0)
  return { total: sum(({ total }) => total), failed: sum(({ failed }) => failed) }
}

export function endItem(
  counts: LoopCounts,
  index: number,
  status: StepStatus,
  atMs: number,
  error?: ItemFailure,
): void {
  const { items, inFlight, time } = counts
  const item = inFlight.get(index)
  if (!item) return
  inFlight.delete(index)
  if (time) endItemTime(time, index, atMs)
  const { before } = item
  if (before?.status === status) {
    items[index] = before
    count(counts, before, 1)
    return
  }
  item.status = status
  item.endedAt = atMs
  if (error) item.error = error
  count(counts, item, 1)
  addEnd(counts, atMs)
}

/** Counts an item that has ended, or withdraws it: it begins again. */
function count(counts: LoopCounts, item: ItemState, by: 1 | -1): void {
  counts.done += by
  if (hasFailed(item.status)) counts.failed += by
  if (item.error) countFailure(counts.failures, item.index, item.error, by)
  for (const { kinds } of item.tolerated ?? [])
    for (const kind of kinds) countFailure(counts.tolerated, item.index, named(kind), by * kind.count)
  const bucket = bucketOf((item.endedAt ?? item.startedAt) - item.startedAt)
  counts.took[bucket] = (counts.took[bucket] ?? 0) + by
}

/** What a batch calls its items is the same in each item of the loop. */
function named({ code, message, item }: FailureKind): ItemFailure {
  return { code, message: item === undefined ? message : `${item}: ${message}` }
}

function bucketOf(tookMs: number): number {
  const bucket = boundsMs.findIndex((bound) => tookMs <= bound)
  return bucket === -1 ? boundsMs.length : bucket
}

const windowSeconds = 60
/** A loop that is younger is counted as this old, so that its first items do not predict thousands a minute. */
const leastSeconds = 5

function addEnd({ endedIn }: LoopCounts, atMs: number): void {
  const at = Math.floor(atMs / 1000)
  endedIn.set(at, (endedIn.get(at) ?? 0) + 1)
  for (const [old] of endedIn) {
    if (old >= at - 2 * windowSeconds) break
    endedIn.delete(old)
  }
}

/** Of the items that ended within the minute before; undefined: none. */
export function perMinute({ endedIn, startedAtMs }: LoopCounts, nowMs: number): number | undefined {
  const from = Math.floor(nowMs / 1000) - windowSeconds
  let ended = 0
  for (const [at, count] of endedIn) if (at > from) ended += count
  const age = Math.min(windowSeconds, Math.max(leastSeconds, (nowMs - startedAtMs) / 1000))
  return ended === 0 ? undefined : Math.round((ended * windowSeconds * 10) / age) / 10
}

export function durationsOf({ took }: LoopCounts): LoopFacts['durations'] {
  return took.some((size) => size > 0) ? { bounds_ms: boundsMs, counts: [...took] } : undefined
}

/** More items are too many for a field of cells. */
const mostCells = 20_000

export function cellsOf({ items, total }: LoopCounts): string {
  if (total > mostCells) return ''
  let cells = ''
  let [last, times] = ['', 0]
  const write = (): void => {
    if (times > 0) cells += times === 1 ? last : `${times}${last}`
  }
  for (let index = 0; index < total; index++) {
    const item = items[index]
    const letter = item === undefined ? 'p' : hasTolerated(item) ? 't' : letters[item.status]
    if (letter === last) times++
    else {
      write()
      last = letter
      times = 1
    }
  }
  write()
  return cells
}
