import type { StepStatus } from '../../core/events.ts'
import type { ErrorData } from '../../core/run-error.ts'
import { createFailureGroups, type FailureGroups } from './failure-groups.ts'
import type { LoopFacts } from './run-view.ts'

/** An item that has begun. Times are Unix times in milliseconds. */
export interface ItemState {
  readonly index: number
  status: StepStatus | 'running'
  startedAt: number
  endedAt?: number
  error?: Pick<ErrorData, 'code' | 'message'>
  /** All that it has done so far came from the journal, after a resume: how fast it was says nothing. */
  isReplayed?: boolean
}

/** The items of one loop. Each event costs the same, however many there are. */
export interface LoopCounts {
  readonly unit: 'items' | 'turns'
  readonly total: number
  readonly failures: FailureGroups
  /** In flight, the longest first. */
  readonly inFlight: ReadonlyMap<number, ItemState>
  readonly done: number
  readonly failed: number
  begin(index: number, atMs: number): void
  end(index: number, status: StepStatus, atMs: number, error?: Pick<ErrorData, 'code' | 'message'>): void
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

/** Creates the counts of a loop that begins. */
export function createLoopCounts(unit: LoopCounts['unit'], total: number, startedAtMs: number): LoopCounts {
  const items: (ItemState | undefined)[] = []
  const inFlight = new Map<number, ItemState>()
  const failures = createFailureGroups()
  const counts = boundsMs.map(() => 0).concat(0)
  const rate = createRate(startedAtMs)
  let [done, failed] = [0, 0]
  return {
    unit,
    total,
    failures,
    inFlight,
    get done() {
      return done
    },
    get failed() {
      return failed
    },
    begin(index, atMs) {
      const before = items[index]
      if (before && before.status !== 'running') {
        done--
        if (hasFailed(before.status)) failed--
      }
      const item: ItemState = { index, status: 'running', startedAt: atMs }
      items[index] = item
      inFlight.delete(index)
      inFlight.set(index, item)
    },
    end(index, status, atMs, error) {
      const item = inFlight.get(index)
      if (!item) return
      inFlight.delete(index)
      item.status = status
      item.endedAt = atMs
      done++
      if (hasFailed(status)) failed++
      if (error) item.error = error
      if (item.isReplayed) return
      const took = atMs - item.startedAt
      const bucket = boundsMs.findIndex((bound) => took <= bound)
      const place = bucket === -1 ? boundsMs.length : bucket
      counts[place] = (counts[place] ?? 0) + 1
      rate.add(atMs)
    },
    item: (index) => items[index],
    perMinute: rate.perMinute,
    durations: () =>
      counts.some((count) => count > 0) ? { bounds_ms: boundsMs, counts: [...counts] } : undefined,
    cells: () => cellsOf(items, total),
  }
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
