import { isForPerson, type TimedRunEvent, type WaitReason } from '../../core/events.ts'
import { isCountedOnly } from '../../core/people/index.ts'
import type { PastWait, StepNode } from './run-view.ts'
import { timeText } from './step-node.ts'

/** The waits of nodes that are over. Holds as much for a node however often it waits. */
export interface PastWaits {
  /** Takes an event of a step. `node`: the path of the node that shows it. */
  take(event: TimedRunEvent & { readonly path: string }, node: string): void
  /** The run begins or ends: nothing waits any more. */
  takeRun(event: TimedRunEvent & { readonly type: 'run_started' | 'run_finished' }): void
  of(node: string): Pick<StepNode, 'past_waits' | 'waited_ms'>
}

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

interface NodeWaits {
  /** By the path of the call. */
  readonly open: Map<string, Open>
  /** The longest ones, in the order of their ends. */
  spans: readonly Span[]
  readonly sums: Map<WaitReason, number>
}

/** `isOfTurns`: whether the loop at a path repeats its steps. Its turns wait in its name. */
export function createPastWaits(isOfTurns: (path: string) => boolean): PastWaits {
  const nodes = new Map<string, NodeWaits>()
  const ownersOf = (path: string, node: string): readonly string[] => {
    const turn = /^(.*)\[\d+\]$/.exec(path)?.[1]
    const loops = turn !== undefined && isOfTurns(turn) ? [turn] : []
    return isCallOf(path, node) ? [node, ...loops] : loops
  }
  const begin = (owner: string, path: string, wait: Open): void => {
    const waits = nodes.get(owner) ?? { open: new Map(), spans: [], sums: new Map() }
    nodes.set(owner, waits)
    waits.open.set(path, wait)
  }
  /** An event of a call ends its waits, and those of the steps around it. */
  const end = (owner: string, path: string, atMs: number): void => {
    const waits = nodes.get(owner)
    if (waits === undefined || waits.open.size === 0) return
    for (const [at, { reason, fromMs, untilMs = atMs }] of waits.open) {
      if (at !== path && !path.startsWith(`${at}/`) && path !== owner) continue
      waits.open.delete(at)
      // A question can be answered after its time, while the run was interrupted.
      const to = isForPerson(reason) ? atMs : Math.min(atMs, untilMs)
      if (to > fromMs) add(waits, { reason, from: fromMs, to })
    }
  }
  return {
    take(event, node) {
      const { path, type } = event
      if (without.has(type) || (type === 'answered' && isCountedOnly(event))) return
      const atMs = Date.parse(event.at)
      const loop = path.slice(0, Math.max(0, path.lastIndexOf('[')))
      for (const owner of isOfTurns(loop) && loop !== node ? [node, loop] : [node]) end(owner, path, atMs)
      // What it waited for before it began anew is not part of it.
      if (type === 'step_started' && path === node) nodes.delete(node)
      if (type !== 'waiting') return
      const { reason, until } = event
      const wait = { reason, fromMs: atMs, ...(until === undefined ? {} : { untilMs: until }) }
      for (const owner of ownersOf(path, node)) begin(owner, path, wait)
    },
    takeRun({ type, at }) {
      for (const [node, { open }] of nodes) {
        if (type === 'run_finished') end(node, node, Date.parse(at))
        // When its process died, nobody knows.
        open.clear()
      }
    },
    of(node) {
      const { spans = [], sums } = nodes.get(node) ?? {}
      if (spans.length === 0 || sums === undefined) return {}
      return { past_waits: spans.map(asWait), waited_ms: Object.fromEntries(sums) }
    },
  }
}

/** Events that end no wait. */
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
