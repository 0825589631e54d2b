import type { StepStatus } from '../../core/events.ts'
import { createFailureGroups, type FailureGroups, type ItemFailure } from './failure-groups.ts'
import { createLoopTime, type LoopTime } from './loop-time.ts'
import type { LoopFacts } from './run-view.ts'

/** An item that has begun. Times are Unix times in milliseconds. */
export interface ItemState {
  readonly index: number
  status: StepStatus | 'running'
  startedAt: number
  endedAt?: number
  error?: ItemFailure
  /** What became of it before the run was resumed, until it does something new. */
  before?: ItemState
}

/** The items of one loop. Each event costs the same, however many there are. */
export interface LoopCounts {
  readonly unit: 'items' | 'turns'
  readonly total: number
  readonly failures: FailureGroups
  /** Only where its items are no nodes. */
  readonly time?: LoopTime
  /** In flight, the longest first. */
  readonly inFlight: ReadonlyMap<number, ItemState>
  readonly done: number
  readonly failed: number
  begin(index: number, atMs: number): void
  /** An item does something itself: what it does is not replayed. */
  work(index: number): void
  end(index: number, status: StepStatus, atMs: number, error?: ItemFailure): void
  /** All items that have begun, by their positions. */
  readonly items: readonly (ItemState | undefined)[]
  /** An item that has begun. */
  item(index: number): ItemState | undefined
  /** Of the items that ended within the minute before; undefined: none. */
  perMinute(nowMs: number): number | undefined
  durations(): LoopFacts['durations']
  cells(): string
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

/** A loop whose items are counted. */
interface CountedLoop extends Pick<LoopCounts, 'unit' | 'total'> {
  readonly startedAtMs: number
  readonly hasTime: boolean
}

/** How the items that have ended did so. */
interface Ends {
  done: number
  failed: number
  readonly failures: FailureGroups
  /** How many took how long, by bucket. */
  readonly took: number[]
}

/**
 * Creates the counts of a loop that begins. `earlier`: those from before the run was resumed. What has ended then, counts
 * until it begins again.
 */
export function createLoopCounts(
  { unit, total, startedAtMs, hasTime }: CountedLoop,
  earlier: readonly (ItemState | undefined)[] = [],
): LoopCounts {
  const items: (ItemState | undefined)[] = []
  const inFlight = new Map<number, ItemState>()
  const ends: Ends = {
    done: 0,
    failed: 0,
    failures: createFailureGroups(),
    took: boundsMs.map(() => 0).concat(0),
  }
  const rate = createRate(startedAtMs)
  const time = hasTime ? createLoopTime(startedAtMs) : undefined
  for (const item of earlier.slice(0, total)) {
    if (!item || item.status === 'running') continue
    items[item.index] = item
    count(ends, item, 1)
  }
  return {
    unit,
    total,
    failures: ends.failures,
    ...(time === undefined ? {} : { time }),
    inFlight,
    items,
    get done() {
      return ends.done
    },
    get failed() {
      return ends.failed
    },
    begin(index, atMs) {
      const before = items[index]
      const hasEnded = before !== undefined && before.status !== 'running'
      if (hasEnded) count(ends, before, -1)
      const item: ItemState = { index, status: 'running', startedAt: atMs, ...(hasEnded ? { before } : {}) }
      items[index] = item
      inFlight.delete(index)
      inFlight.set(index, item)
      time?.begin(index, atMs)
    },
    work(index) {
      delete inFlight.get(index)?.before
    },
    end(index, status, atMs, error) {
      const item = inFlight.get(index)
      if (!item) return
      inFlight.delete(index)
      time?.end(index, atMs)
      const { before } = item
      if (before?.status === status) {
        items[index] = before
        count(ends, before, 1)
        return
      }
      item.status = status
      item.endedAt = atMs
      if (error) item.error = error
      count(ends, item, 1)
      rate.add(atMs)
    },
    item: (index) => items[index],
    perMinute: rate.perMinute,
    durations: () =>
      ends.took.some((size) => size > 0) ? { bounds_ms: boundsMs, counts: [...ends.took] } : undefined,
    cells: () => cellsOf(items, total),
  }
}

/** Counts an item that has ended, or withdraws it: it begins again. */
function count(ends: Ends, item: ItemState, by: 1 | -1): void {
  ends.done += by
  if (hasFailed(item.status)) ends.failed += by
  if (item.error) ends.failures.count(item.index, item.error, by)
  const bucket = bucketOf((item.endedAt ?? item.startedAt) - item.startedAt)
  ends.took[bucket] = (ends.took[bucket] ?? 0) + by
}

function bucketOf(tookMs: number): number {
  const bucket = boundsMs.findIndex((bound) => tookMs <= bound)
  return bucket === -1 ? boundsMs.length : bucket
}

const windowSeconds = 60
/** A loop that is younger is counted as this old, so that its first items do not predict thousands a minute. */
const leastSeconds = 5

/** How many items end in a minute: counted in seconds, so that memory does not grow with the items. */
function createRate(startedAtMs: number): { add(atMs: number): void; perMinute: LoopCounts['perMinute'] } {
  const seconds = new Map<number, number>()
  const second = (ms: number): number => Math.floor(ms / 1000)
  return {
    add(atMs) {
      const at = second(atMs)
      seconds.set(at, (seconds.get(at) ?? 0) + 1)
      for (const [old] of seconds) {
        if (old >= at - 2 * windowSeconds) break
        seconds.delete(old)
      }
    },
    perMinute(nowMs) {
      const from = second(nowMs) - windowSeconds
      let ended = 0
      for (const [at, count] of seconds) if (at > from) ended += count
      const age = Math.min(windowSeconds, Math.max(leastSeconds, (nowMs - startedAtMs) / 1000))
      return ended === 0 ? undefined : Math.round((ended * windowSeconds * 10) / age) / 10
    },
  }
}

/** More items are too many for a field of cells. */
const mostCells = 20_000

function cellsOf(items: readonly (ItemState | undefined)[], total: number): string {
  if (total > mostCells) return ''
  let cells = ''
  let [last, times] = ['', 0]
  const write = (): void => {
    if (times > 0) cells += times === 1 ? last : `${times}${last}`
  }
  for (let index = 0; index < total; index++) {
    const item = items[index]
    const letter = item ? letters[item.status] : 'p'
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
