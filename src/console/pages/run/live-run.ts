import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { RunHead, RunView, StepNode } from '../../../view/run/index.ts'

/** A place in the list of steps: its node, and how deep it is. */
export interface LiveRow {
  readonly path: string
  readonly depth: number
}

/** A run as it changes: one signal for each node, so that a change draws no other node again. */
export interface LiveRun {
  readonly head: ReadonlySignal<RunHead>
  /** In document order. Changes only when nodes come or go. */
  readonly rows: ReadonlySignal<readonly LiveRow[]>
  /** The node of a row. */
  node(path: string): ReadonlySignal<StepNode>
  /** Takes a whole view, or what has changed. */
  take(view: RunView): void
}

/** Creates a run from its first view. */
export function createLiveRun(first: RunView): LiveRun {
  const head = signal(first.head)
  const nodes = new Map<string, Signal<StepNode>>()
  const rows = signal<readonly LiveRow[]>([])
  const take = ({ head: newHead, nodes: changed, is_whole }: RunView): void =>
    batch(() => {
      head.value = newHead
      let isOther = false
      if (is_whole) {
        const kept = new Set(changed.map(({ path }) => path))
        for (const path of nodes.keys()) if (!kept.has(path)) isOther = nodes.delete(path) || isOther
      }
      for (const node of changed) {
        const known = nodes.get(node.path)
        if (known === undefined) {
          nodes.set(node.path, signal(node))
          isOther = true
        } else if (!is_whole || JSON.stringify(known.peek()) !== JSON.stringify(node)) known.value = node
      }
      if (isOther) rows.value = inOrder([...nodes.values()].map((one) => one.peek()))
    })
  take({ ...first, is_whole: true })
  return {
    head,
    rows,
    node(path) {
      const found = nodes.get(path)
      if (found === undefined) throw new Error(`the view has no node ${path}`)
      return found
    },
    take,
  }
}

function inOrder(nodes: readonly StepNode[]): readonly LiveRow[] {
  const inside = new Map<string, StepNode[]>()
  for (const node of nodes) {
    const beside = inside.get(node.parent ?? '') ?? []
    beside.push(node)
    inside.set(node.parent ?? '', beside)
  }
  const rows: LiveRow[] = []
  const walk = (parent: string, depth: number): void => {
    const children = inside.get(parent) ?? []
    for (const { path } of children.sort((one, other) => one.position - other.position)) {
      rows.push({ path, depth })
      walk(path, depth + 1)
    }
  }
  walk('', 0)
  return rows
}
