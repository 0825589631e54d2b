import { isForPerson, type TimedRunEvent, type WaitReason } from '../../core/events.ts'
import { isCountedOnly } from '../../core/people/index.ts'
import type { PastWait, StepNode } from './run-view.ts'
import { timeText } from './step-node.ts'
import type { StepEvent } from './tree/take-step-event.ts'

/** Of a node. */
const mostKept = 20

interface Open {
  readonly reason: WaitReason
  readonly fromMs: number
  readonly untilMs?: number
}

interface Span {
  readonly reason: WaitReason
  readonly from: number
  readonly to: number
}

/** The waits of nodes that are over, by their paths. Holds as much for a node however often it waits. */
export type PastWaits = Map<string, NodeWaits>

interface NodeWaits {
  /** By the path of the call. */
  readonly open: Map<string, Open>
  /** The longest ones, in the order of their ends. */
  spans: readonly Span[]
  readonly sums: Map<WaitReason, number>
}

/**
 * Takes an event of a step. `node`: the path of the node that shows it. `isOfTurns`: whether the loop at a path repeats its
 * steps. Its turns wait in its name.
 */
export function takeWaits(
  nodes: PastWaits,
  event: StepEvent,
  node: string,
  isOfTurns: (path: string) => boolean,
): void {
  const { path, type } = event
  if (endsNoWait(event)) return
  const atMs = Date.parse(event.at)
  const loop = path.slice(0, Math.max(0, path.lastIndexOf('[')))
  for (const owner of isOfTurns(loop) && loop !== node ? [node, loop] : [node])
    endWaits(nodes.get(owner), owner, path, atMs)
  // What it waited for before it began anew is not part of it.
  if (type === 'step_started' && path === node) nodes.delete(node)
  if (type !== 'waiting') return
  const { reason, until } = event
  const wait = { reason, fromMs: atMs, ...(until === undefined ? {} : { untilMs: until }) }
  const turn = /^(.*)\[\d+\]$/.exec(path)?.[1]
  const loops = turn !== undefined && isOfTurns(turn) ? [turn] : []
  for (const owner of isCallOf(path, node) ? [node, ...loops] : loops) {
    const waits = nodes.get(owner) ?? { open: new Map(), spans: [], sums: new Map() }
    nodes.set(owner, waits)
    waits.open.set(path, wait)
  }
}

/** An event of a call ends its waits, and those of the steps around it. */
function endWaits(waits: NodeWaits | undefined, owner: string, path: string, endMs: number): void {
  if (waits === undefined || waits.open.size === 0) return
  for (const [at, { reason, fromMs, untilMs = endMs }] of waits.open) {
    if (at !== path && !path.startsWith(`${at}/`) && path !== owner) continue
    waits.open.delete(at)
    // A question can be answered after its time, while the run was interrupted.
    const to = isForPerson(reason) ? endMs : Math.min(endMs, untilMs)
    if (to > fromMs) add(waits, { reason, from: fromMs, to })
  }
}

/** The run begins or ends: nothing waits any more. */
export function endAllWaits(nodes: PastWaits, { type, at }: TimedRunEvent): void {
  for (const [node, waits] of nodes) {
    if (type === 'run_finished') endWaits(waits, node, node, Date.parse(at))
    // When its process died, nobody knows.
    waits.open.clear()
  }
}

export function pastWaitsOf(nodes: PastWaits, node: string): Pick<StepNode, 'past_waits' | 'waited_ms'> {
  const { spans = [], sums } = nodes.get(node) ?? {}
  if (spans.length === 0 || sums === undefined) return {}
  return { past_waits: spans.map(asWait), waited_ms: Object.fromEntries(sums) }
}

/** Events that end no wait. */
export function endsNoWait(event: TimedRunEvent): boolean {
  return without.has(event.type) || (event.type === 'answered' && isCountedOnly(event))
}

const without: ReadonlySet<TimedRunEvent['type']> = new Set(['logged', 'inputs_hidden', 'outputs_hidden'])

/** Whether a path is that of a step, or of one of its calls. */
function isCallOf(path: string, step: string): boolean {
  return path.startsWith(step) && /^(\/poll-\d+)?(\/group-\d+)?$/.test(path.slice(step.length))
}

/** Calls of one step can wait together: that is one wait. */
function add(waits: NodeWaits, added: Span): void {
  const { reason } = added
  const touched = waits.spans.filter(
    (span) => span.reason === reason && span.from <= added.to && span.to >= added.from,
  )
  const joined = {
    reason,
    from: Math.min(added.from, ...touched.map(({ from }) => from)),
    to: Math.max(added.to, ...touched.map(({ to }) => to)),
  }
  const before = touched.reduce((sum, { from, to }) => sum + to - from, 0)
  waits.sums.set(reason, (waits.sums.get(reason) ?? 0) + joined.to - joined.from - before)
  const all = [...waits.spans.filter((span) => !touched.includes(span)), joined]
  const shortest =
    all.length > mostKept ? all.toSorted((one, other) => length(one) - length(other))[0] : undefined
  waits.spans = all.filter((span) => span !== shortest)
}

function length({ from, to }: Span): number {
  return to - from
}

function asWait({ reason, from, to }: Span): PastWait {
  return { reason, since: timeText(from), until: timeText(to) }
}
