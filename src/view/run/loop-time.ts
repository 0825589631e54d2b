import { isForPerson, type TimedRunEvent, type WaitReason } from '../../core/events.ts'
import { isCountedOnly } from '../../core/people/index.ts'
import type { LoopFacts } from './run-view.ts'
import { timeText } from './step-node.ts'

/** Where the time of the items of one loop went. Holds as much however many items there are, and however long it takes. */
export interface LoopTime {
  begin(index: number, atMs: number): void
  /** An item, or a step or call inside it, does something. */
  take(index: number, itemPath: string, event: TimedRunEvent & { readonly path: string }): void
  end(index: number, atMs: number): void
  /** The process of the items is gone, or the run is over: nothing is in flight any more. */
  stop(atMs: number): void
  /** `nowMs` left out: at the last event. Undefined: no item has been in flight yet. */
  facts(nowMs?: number): LoopFacts['time']
}

/** Each as long as the others. When there are too few, two become one. */
const mostBuckets = 48
const firstBucketMs = 100

interface OpenWait {
  readonly reason: WaitReason
  readonly untilMs: number
}

interface InFlight {
  /** Its time until then is counted. */
  countedMs: number
  /** By the path of the call, in the order in which they began. */
  readonly waits: Map<string, OpenWait>
}

/** Time of items: one item for one second is a second. */
interface Sums {
  inFlight: number[]
  readonly waits: Map<WaitReason, number[]>
  bucketMs: number
}

/** Creates the times of a loop that begins. */
export function createLoopTime(startedAtMs: number): LoopTime {
  const items = new Map<number, InFlight>()
  const sums: Sums = { inFlight: [], waits: new Map(), bucketMs: firstBucketMs }
  let lastMs = startedAtMs
  const count = (item: InFlight, atMs: number): void => {
    lastMs = Math.max(lastMs, atMs)
    addItem(sums, item, startedAtMs, atMs)
    item.countedMs = Math.max(item.countedMs, atMs)
  }
  const end: LoopTime['end'] = (index, atMs) => {
    const item = items.get(index)
    if (item === undefined) return
    count(item, atMs)
    items.delete(index)
  }
  return {
    begin(index, atMs) {
      items.set(index, { countedMs: atMs, waits: new Map() })
    },
    take(index, itemPath, event) {
      const item = items.get(index)
      const { type, path } = event
      // Most events are of items that do not wait.
      if (item === undefined || (item.waits.size === 0 && type !== 'waiting')) return
      if (without.has(type) || (type === 'answered' && isCountedOnly(event))) return
      const ends = [...item.waits.keys()].filter(
        (at) => at === path || path.startsWith(`${at}/`) || path === itemPath,
      )
      if (type !== 'waiting' && ends.length === 0) return
      count(item, Date.parse(event.at))
      for (const at of ends) item.waits.delete(at)
      if (type !== 'waiting') return
      const { reason, until = Number.POSITIVE_INFINITY } = event
      item.waits.set(path, { reason, untilMs: isForPerson(reason) ? Number.POSITIVE_INFINITY : until })
    },
    end,
    stop(atMs) {
      for (const index of items.keys()) end(index, atMs)
    },
    facts(nowMs = lastMs) {
      const now = copyOf(sums)
      for (const item of items.values()) addItem(now, item, startedAtMs, nowMs)
      const inFlightMs = sumOf(now.inFlight)
      if (inFlightMs === 0) return undefined
      return {
        since: timeText(startedAtMs),
        bucket_ms: now.bucketMs,
        in_flight_ms: Math.round(inFlightMs),
        waited_ms: Object.fromEntries([...now.waits].map(([reason, ms]) => [reason, Math.round(sumOf(ms))])),
        shares: Object.fromEntries(
          [...now.waits].map(([reason, waited]) => [
            reason,
            Array.from(waited, (ms = 0, bucket) => Math.round((100 * ms) / (now.inFlight[bucket] || 1))),
          ]),
        ),
      }
    },
  }
}

/** Events that end no wait. */
const without: ReadonlySet<TimedRunEvent['type']> = new Set(['logged', 'inputs_hidden', 'outputs_hidden'])

/** Counts what an item did until a time. Of waits at the same time the first one counts. */
function addItem(sums: Sums, { countedMs, waits }: InFlight, originMs: number, toMs: number): void {
  if (toMs <= countedMs) return
  addSpan(sums, sums.inFlight, countedMs - originMs, toMs - originMs)
  let fromMs = countedMs
  for (const { reason, untilMs } of waits.values()) {
    const endMs = Math.min(untilMs, toMs)
    if (endMs <= fromMs) continue
    const waited = sums.waits.get(reason) ?? []
    sums.waits.set(reason, waited)
    addSpan(sums, waited, fromMs - originMs, endMs - originMs)
    fromMs = endMs
  }
}

/** Adds a stretch of time to the buckets that it lies in. */
function addSpan(sums: Sums, buckets: number[], from: number, to: number): void {
  while (to > mostBuckets * sums.bucketMs) halve(sums)
  for (let at = from; at < to; ) {
    const bucket = Math.floor(at / sums.bucketMs)
    const next = Math.min(to, (bucket + 1) * sums.bucketMs)
    buckets[bucket] = (buckets[bucket] ?? 0) + next - at
    at = next
  }
}

/** Two buckets become one. The lists stay the same ones. */
function halve(sums: Sums): void {
  for (const buckets of [sums.inFlight, ...sums.waits.values()]) {
    const halved = Array.from(
      { length: Math.ceil(buckets.length / 2) },
      (_, place) => (buckets[2 * place] ?? 0) + (buckets[2 * place + 1] ?? 0),
    )
    buckets.splice(0, buckets.length, ...halved)
  }
  sums.bucketMs *= 2
}

function copyOf({ inFlight, waits, bucketMs }: Sums): Sums {
  const copies = [...waits].map(([reason, buckets]) => [reason, [...buckets]] as [WaitReason, number[]])
  return { inFlight: [...inFlight], waits: new Map(copies), bucketMs }
}

function sumOf(numbers: readonly number[]): number {
  let sum = 0
  for (const number of numbers) sum += number ?? 0
  return sum
}
