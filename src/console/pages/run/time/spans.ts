import type { WaitReason } from '../../../../core/events.ts'
import type { StepNode } from '../../../../view/run/index.ts'

/** What a step did with a stretch of time. */
export type SpanKind = 'working' | 'rate-limit' | 'target' | 'retry' | 'person' | 'paused'

/** A stretch of time of one step, Unix times in milliseconds. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly kind: SpanKind
}

/** The time of one step. */
export interface Lane {
  readonly path: string
  readonly from: number
  readonly to: number
  /** Waits, over the stretch in which the step worked. */
  readonly waits: readonly Span[]
  /** For how long it waited in all, in milliseconds: also in waits that are too many to draw. */
  readonly waited: ReadonlyMap<SpanKind, number>
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
    const spans = [...past_waits, ...current].flatMap(({ reason, since, until }): readonly Span[] => {
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
    return [{ path, from, to, waits: spans, waited }]
  })
}
