import { isForPerson, type WaitReason } from '../../core/events.ts'
import { endsNoWait } from './past-waits.ts'
import type { LoopFacts } from './run-view.ts'
import { timeText } from './step-node.ts'
import type { StepEvent } from './tree/take-step-event.ts'

/** Where the time of the items of one loop went. Holds as much however many items there are, and however long it takes. */
export interface LoopTime {
  readonly startedAtMs: number
  lastMs: number
  readonly inFlight: Map<number, InFlight>
  readonly sums: Sums
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

/** The times of a loop that begins. */
export function loopTime(startedAtMs: number): LoopTime {
  const sums = { inFlight: [], waits: new Map(), bucketMs: firstBucketMs }
  return { startedAtMs, lastMs: startedAtMs, inFlight: new Map(), sums }
}

export function beginItemTime({ inFlight }: LoopTime, index: number, atMs: number): void {
  inFlight.set(index, { countedMs: atMs, waits: new Map() })
}

/** An item, or a step or call inside it, does something. */
export function takeItemTime(time: LoopTime, index: number, itemPath: string, event: StepEvent): void {
  const item = time.inFlight.get(index)
  const { type, path } = event
  // Most events are of items that do not wait.
  if (item === undefined || (item.waits.size === 0 && type !== 'waiting')) return
  if (endsNoWait(event)) return
  const ends = [...item.waits.keys()].filter(
    (at) => at === path || path.startsWith(`${at}/`) || path === itemPath,
  )
  if (type !== 'waiting' && ends.length === 0) return
  count(time, item, Date.parse(event.at))
  for (const at of ends) item.waits.delete(at)
  if (type !== 'waiting') return
  const { reason, until = Number.POSITIVE_INFINITY } = event
  item.waits.set(path, { reason, untilMs: isForPerson(reason) ? Number.POSITIVE_INFINITY : until })
}

export function endItemTime(time: LoopTime, index: number, atMs: number): void {
  const item = time.inFlight.get(index)
  if (item === undefined) return
  count(time, item, atMs)
  time.inFlight.delete(index)
}

/** The process of the items is gone, or the run is over: nothing is in flight any more. */
export function stopTime(time: LoopTime, atMs: number): void {
  for (const index of time.inFlight.keys()) endItemTime(time, index, atMs)
}

/** `nowMs` left out: at the last event. Undefined: no item has been in flight yet. */
export function timeFacts(
  { startedAtMs, lastMs, inFlight, sums }: LoopTime,
  nowMs: number = lastMs,
): LoopFacts['time'] {
  const now = copyOf(sums)
  for (const item of inFlight.values()) addItem(now, item, startedAtMs, nowMs)
  const inFlightMs = sumOf(now.inFlight)
  if (inFlightMs === 0) return undefined
  const waits = [...now.waits]
  return {
    since: timeText(startedAtMs),
    bucket_ms: now.bucketMs,
    in_flight_ms: Math.round(inFlightMs),
    waited_ms: Object.fromEntries(waits.map(([reason, ms]) => [reason, Math.round(sumOf(ms))])),
    shares: Object.fromEntries(
      waits.map(([reason, waited]) => [
        reason,
        Array.from(waited, (ms = 0, bucket) => Math.round((100 * ms) / (now.inFlight[bucket] || 1))),
      ]),
    ),
  }
}

function count(time: LoopTime, item: InFlight, atMs: number): void {
  time.lastMs = Math.max(time.lastMs, atMs)
  addItem(time.sums, item, time.startedAtMs, atMs)
  item.countedMs = Math.max(item.countedMs, atMs)
}

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
