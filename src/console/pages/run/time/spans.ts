import type { WaitReason } from '../../../../core/events.ts'
import type { LoopFacts, StepNode } from '../../../../view/run/index.ts'

/** What a step did with a stretch of time. */
export type SpanKind = 'working' | 'rate-limit' | 'target' | 'retry' | 'person' | 'paused'

/** A stretch of time of one step, Unix times in milliseconds. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
  readonly kind: SpanKind
}

/** What the items of a loop did in a stretch of time: the part of each kind, from 0 to 1. The rest they worked. */
export interface Share {
  readonly from: number
  readonly to: number
  readonly parts: readonly (readonly [kind: SpanKind, part: number])[]
}

/** The time of one step. */
export interface Lane {
  readonly path: string
  readonly from: number
  readonly to: number
  /** Waits, over the stretch in which the step worked. */
  readonly waits: readonly TimeSpan[]
  /** For how long it waited in all, in milliseconds: also in waits that are too many to draw. */
  readonly waited: ReadonlyMap<SpanKind, number>
  /** Of a loop whose items have no lanes of their own. */
  readonly items?: {
    readonly shares: readonly Share[]
    /** The part of the time of all items, from 0 to 1, the largest first. */
    readonly waited: readonly (readonly [kind: SpanKind, part: number])[]
  }
}

const kinds: Partial<Readonly<Record<WaitReason, SpanKind>>> = {
  budget: 'rate-limit',
  throttle: 'rate-limit',
  target: 'target',
  retry: 'retry',
  poll: 'retry',
  approval: 'person',
  answer: 'person',
  event: 'person',
  wait: 'paused',
  pause: 'paused',
}

/** The time of each step that has begun. */
export function lanesOf(nodes: readonly StepNode[], now: number): readonly Lane[] {
  return nodes.flatMap((node) => {
    const { path, started_at, ended_at, past_waits = [], waits = [], waited_ms = {} } = node
    if (started_at === undefined) return []
    const from = Date.parse(started_at)
    const to = Math.max(from, ended_at === undefined ? now : Date.parse(ended_at))
    const current = waits.map((wait) => ({ ...wait, until: new Date(now).toISOString() }))
    const spans = [...past_waits, ...current].flatMap(({ reason, since, until }): readonly TimeSpan[] => {
      const kind = kinds[reason]
      const span = { from: Math.max(from, Date.parse(since)), to: Math.min(to, Date.parse(until)) }
      return kind === undefined || span.to <= span.from ? [] : [{ ...span, kind }]
    })
    const waited = new Map<SpanKind, number>()
    const count = (reason: string, ms: number): void => {
      const kind = kinds[reason as WaitReason]
      if (kind !== undefined && ms > 0) waited.set(kind, (waited.get(kind) ?? 0) + ms)
    }
    for (const [reason, ms] of Object.entries(waited_ms)) count(reason, ms)
    // Several calls of a step can wait for the same now.
    const since = new Map<WaitReason, number>()
    for (const { reason, since: at } of waits)
      since.set(reason, Math.min(since.get(reason) ?? Number.POSITIVE_INFINITY, Date.parse(at)))
    for (const [reason, at] of since) count(reason, now - at)
    const time = node.loop?.time
    const items = time === undefined ? {} : { items: itemsOf(time, to) }
    return [{ path, from, to, waits: spans, waited, ...items }]
  })
}

/** Where the time of the items of a loop went, until the end of its lane. */
function itemsOf(time: NonNullable<LoopFacts['time']>, end: number): NonNullable<Lane['items']> {
  const { since, bucket_ms, in_flight_ms, waited_ms, shares } = time
  const start = Date.parse(since)
  const buckets = Math.max(0, ...Object.values(shares).map((parts) => parts.length))
  const byKind = (amountOf: (reason: WaitReason) => number): Share['parts'] => {
    const parts = new Map<SpanKind, number>()
    for (const [reason, kind] of Object.entries(kinds) as [WaitReason, SpanKind][]) {
      const amount = amountOf(reason)
      if (amount > 0) parts.set(kind, (parts.get(kind) ?? 0) + amount)
    }
    return [...parts]
  }
  return {
    shares: Array.from({ length: buckets }, (_, place) => ({
      from: start + place * bucket_ms,
      to: Math.min(end, start + (place + 1) * bucket_ms),
      parts: byKind((reason) => (shares[reason]?.[place] ?? 0) / 100),
    })).filter(({ from, to, parts }) => to > from && parts.length > 0),
    waited: byKind((reason) => (waited_ms[reason] ?? 0) / in_flight_ms).toSorted(
      ([, one], [, other]) => other - one,
    ),
  }
}
