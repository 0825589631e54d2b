import { isExecuted, itemIndex } from '../../core/record/index.ts'
import { loopFacts } from './loop-facts.ts'
import { pastWaitsOf } from './past-waits.ts'
import type { StepNode } from './run-view.ts'
import { type NodeStyle, stepNode } from './step-node.ts'
import { isItem } from './tree/step-paths.ts'
import { isLoopView, type StepView } from './tree/step-view.ts'
import { itemsAround, mostItemNodes, type ViewedRun, viewedStatus } from './viewed-run.ts'

/** The nodes of the wanted steps, in document order. */
export function viewedNodes(
  viewed: ViewedRun,
  nowMs: number,
  isWanted: (step: StepView) => boolean,
): readonly StepNode[] {
  const { tree, inside, loops, pastWaits } = viewed
  const style = viewedStyle(viewed, nowMs)
  const nodes: StepNode[] = []
  const walk = (steps: Iterable<StepView>, parent?: string): void => {
    // Steps that catch the failure of a loop come after its items.
    let place = (parent !== undefined && loops.get(parent)?.total) || 0
    for (const step of steps) {
      const position = isItem(step.path) ? itemIndex(step.path) : place++
      const counts = loops.get(step.path)
      if (isWanted(step)) {
        const at = { position, outer: parent ?? inside, ...(parent === undefined ? {} : { parent }) }
        const loop = counts && { loop: loopFacts(counts, step, style) }
        nodes.push({ ...stepNode(step, at, style), ...pastWaitsOf(pastWaits, step.path), ...loop })
      }
      walk(innerNodes(step, itemsAround(viewed, step.path).length === 0), step.path)
    }
  }
  const around = inside === '' ? undefined : tree.stepOf(inside)
  if (inside === '') walk(tree.steps)
  else if (around?.path === inside) walk(around.inner.values())
  return nodes
}

/** How the steps of the run are shown at this time. */
export function viewedStyle(viewed: ViewedRun, nowMs: number): NodeStyle {
  const { tree, mask, windowsOf } = viewed
  return {
    nowMs,
    isActive: isExecuted(viewedStatus(viewed)),
    mask,
    windowsOf,
    itemName: (path) => tree.items.facts(path)?.item,
  }
}

/** The steps inside that are nodes: items by their position, then other steps in their order. */
function innerNodes(step: StepView, hasItemNodes: boolean): readonly StepView[] {
  const inner = [...step.inner.values()]
  if (!isLoopView(step)) return inner
  const others = inner.filter(({ path }) => !isItem(path))
  if (!hasItemNodes || (step.progress?.total ?? 0) > mostItemNodes) return others
  const items = inner.filter(({ path }) => isItem(path))
  return [...items.sort((one, other) => itemIndex(one.path) - itemIndex(other.path)), ...others]
}
