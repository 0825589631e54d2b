import type { WaitReason } from '../../../../core/events.ts'
import type { StepNode } from '../../../../view/run/index.ts'
import type { JournalEvent } from '../../page-state.ts'

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

/** The events that end a wait of their call. */
const ending: ReadonlySet<string> = new Set([
  'attempt_started',
  'attempt_succeeded',
  'attempt_failed',
  'answered',
  'step_finished',
  'item_finished',
  'waiting',
])

/** The time of each step that has begun, from its node and from the waits in the journal. */
export function lanesOf(
  nodes: readonly StepNode[],
  events: readonly JournalEvent[],
  now: number,
): readonly Lane[] {
  const lanes = nodes.flatMap(({ path, started_at, ended_at, waits = [] }) => {
    if (started_at === undefined) return []
    const from = Date.parse(started_at)
    const current = waits.flatMap(({ reason, since }): readonly Span[] => {
      const kind = kinds[reason]
      return kind === undefined ? [] : [{ from: Date.parse(since), to: now, kind }]
    })
    return [
      { path, from, to: Math.max(from, ended_at === undefined ? now : Date.parse(ended_at)), waits: current },
    ]
  })
  const past = pastWaits(events)
  return lanes.map((lane) => {
    const own = past
      .filter(({ path }) => path === lane.path || isGroupOf(path, lane.path))
      .map((span) => ({ ...span, from: Math.max(span.from, lane.from), to: Math.min(span.to, lane.to) }))
    return { ...lane, waits: [...own, ...lane.waits].filter(({ from, to }) => to > from) }
  })
}

/** Whether a call is a group of a step: its wait is one of the step. */
function isGroupOf(path: string, step: string): boolean {
  return path.startsWith(`${step}/group-`)
}

function pastWaits(events: readonly JournalEvent[]): readonly (Span & { readonly path: string })[] {
  const open = new Map<string, { readonly from: number; readonly kind: SpanKind; readonly until?: number }>()
  const spans: (Span & { readonly path: string })[] = []
  for (const { type, path, at, reason, until } of events) {
    if (path === undefined) continue
    const atMs = Date.parse(at)
    const begun = open.get(path)
    if (begun !== undefined && ending.has(type)) {
      spans.push({ path, from: begun.from, to: Math.min(atMs, begun.until ?? atMs), kind: begun.kind })
      open.delete(path)
    }
    const kind = reason === undefined ? undefined : kinds[reason as WaitReason]
    if (type === 'waiting' && kind !== undefined)
      open.set(path, { from: atMs, kind, ...(typeof until === 'number' ? { until } : {}) })
  }
  return spans
}
