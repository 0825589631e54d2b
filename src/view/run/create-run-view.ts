import type { CallWindows } from '../../core/action.ts'
import type { TimedRunEvent } from '../../core/events.ts'
import type { Masking } from '../../core/mask/index.ts'
import type { Plan } from '../../core/plan/index.ts'
import {
  isExecuted,
  itemIndex,
  itemPathsOf,
  type RecordedEvent,
  type RunSummary,
} from '../../core/record/index.ts'
import { createAskingSteps } from './asking-steps.ts'
import { createLoopCounts, hasFailed, type LoopCounts } from './loop-counts.ts'
import { itemPage, loopFacts } from './loop-facts.ts'
import { createPastWaits } from './past-waits.ts'
import type { ItemFilter, ItemPage, RunHead, RunView, StepNode } from './run-view.ts'
import { type NodeStyle, shortText, shownError, stepNode, timeText } from './step-node.ts'
import { runFacts } from './tree/run-facts.ts'
import { createRunTree } from './tree/run-tree.ts'
import { enclosingPaths, isItem } from './tree/step-paths.ts'
import { hasEnded, isLoopView, type StepView } from './tree/step-view.ts'

/** Folds the events of a run into what a screen shows of it. */
export interface LiveRunView {
  /** Takes the next event. Costs the same however many items the run has. */
  take(recorded: RecordedEvent): void
  /**
   * Takes what no event reports: that the run is queued, or that its process is gone. Returns whether this changes
   * what is shown: then a whole view is due.
   */
  takeState(state: RunViewState): boolean
  /** Number of the last event. */
  readonly seq: number
  /**
   * What is shown at this Unix time in milliseconds; with `afterSeq` only the nodes that have changed since. `withTimed`:
   * also those that time alone changes, which are loops under way and steps that wait.
   */
  view(nowMs: number, afterSeq?: number, withTimed?: boolean): RunView
  /** Items of a loop. Undefined: no event has told of such a loop, or it is inside an item of a loop. */
  items(loopPath: string, nowMs: number, filter?: ItemFilter): ItemPage | undefined
}

/** What a record says of a run besides its events. */
export type RunViewState = Pick<RunSummary, 'status' | 'turn'>

/** Items of loops with at most this many are nodes. */
const mostItemNodes = 20

/** How a run is viewed. */
export interface RunViewOptions {
  /** Hides what texts must not show. */
  readonly mask?: Pick<Masking, 'text'>
  /**
   * The path of an item of a loop: the nodes are the steps inside it. Events of other steps change nothing, so the head
   * counts no steps.
   * @default the whole run
   */
  readonly inside?: string
  /**
   * How often an action may be called.
   * @default not known
   */
  readonly windowsOf?: (action: string) => CallWindows | undefined
}

/** Creates the view of a run that has taken no events yet. */
export function createRunView(
  run: Pick<RunSummary, 'run_id' | 'runbook' | 'title'> & { readonly plan: Plan },
  { mask = { text: (text) => text }, inside = '', windowsOf = () => undefined }: RunViewOptions = {},
): LiveRunView {
  const tree = createRunTree({ ...runFacts(run.plan), keptItems: mostItemNodes })
  const loops = new Map<string, LoopCounts>()
  /** Numbers of the events that changed a node last, by its path. */
  const changed = new Map<string, number>()
  const askingSteps = createAskingSteps()
  const pastWaits = createPastWaits((path) => loops.get(path)?.unit === 'turns')
  let [seq, wholeFrom] = [0, 0]
  let isPaused = false
  let ended: (TimedRunEvent & { type: 'run_finished' }) | undefined
  let state: RunViewState | undefined

  const isShown = (path: string): boolean => inside === '' || path === inside || path.startsWith(`${inside}/`)
  /** The items around a step that are part of what is viewed. */
  const itemsAround = (path: string): readonly string[] =>
    itemPathsOf(path).filter((item) => item.length > inside.length)
  /** The loop that an item belongs to, if its items are counted here. */
  const loopOf = (itemPath: string): LoopCounts | undefined =>
    loops.get(itemPath.slice(0, itemPath.lastIndexOf('[')))

  const takeLoopEvent = (event: TimedRunEvent): void => {
    const at = Date.parse(event.at)
    if (event.type === 'run_started' || event.type === 'run_finished')
      for (const { time } of loops.values()) time?.stop(at)
    if (!('path' in event)) return
    for (const item of itemsAround(event.path)) loopOf(item)?.time?.take(itemIndex(item), item, event)
    switch (event.type) {
      case 'step_started':
        working(event.path)
        return
      case 'items_counted': {
        const outer = itemsAround(event.path)
        // Of a loop inside a large loop there could be ten thousand.
        if (outer.length > 1 || outer.some((item) => (loopOf(item)?.total ?? 0) > mostItemNodes)) return
        const counted = {
          unit: event.is_limit ? 'turns' : 'items',
          total: event.total,
          startedAtMs: at,
          hasTime: !event.is_limit && event.total > mostItemNodes,
        } as const
        loops.set(event.path, createLoopCounts(counted, loops.get(event.path)?.items))
        return
      }
      case 'item_started':
        loopOf(event.path)?.begin(itemIndex(event.path), at)
        return
      case 'item_finished':
        endItem(event, at)
        return
      case 'attempt_started':
      case 'waiting':
        working(event.path)
    }
  }
  /** The items around a call do something new. */
  const working = (path: string): void => {
    for (const item of itemsAround(path)) loopOf(item)?.work(itemIndex(item))
  }
  const endItem = ({ path, status }: TimedRunEvent & { type: 'item_finished' }, at: number): void => {
    const counts = loopOf(path)
    if (!counts) return
    const step = tree.stepOf(path)
    const failure = step?.path === path && hasFailed(status) ? step.lastFailure : undefined
    const item = failure && tree.items.facts(path)?.item
    counts.end(
      itemIndex(path),
      status,
      at,
      failure && {
        code: failure.code,
        message: maskedText(failure.message),
        ...(item === undefined ? {} : { item }),
      },
    )
  }
  // Masked before it is cut: no mask finds half a secret.
  const maskedText = (text: string): string => shortText(mask.text(text))

  /** The paths of the nodes that an event changes: its own, and the loops around it. */
  const markChanged = (event: TimedRunEvent): void => {
    if (event.type === 'run_started' || event.type === 'run_finished') {
      wholeFrom = seq
      pastWaits.takeRun(event)
    }
    if (!('path' in event)) return
    let last: string | undefined
    for (const path of enclosingPaths(event.path)) {
      if (path.length <= inside.length) continue
      if (!isNode(path)) break
      last = path
      if (loops.has(path)) changed.set(path, seq)
    }
    if (last === undefined) return
    changed.set(last, seq)
    pastWaits.take(event, last)
  }
  const isNode = (path: string): boolean => {
    const outer = itemsAround(path)
    const [item] = outer
    return item === undefined || (outer.length === 1 && (loopOf(item)?.total ?? 0) <= mostItemNodes)
  }

  const status = (): RunHead['status'] => {
    if (tree.status !== undefined) return tree.status
    if (state && (!isExecuted(state.status) || state.status === 'queued')) return state.status
    if (isPaused) return 'paused'
    return askingSteps.count > 0 ? 'waiting' : tree.begins === 0 ? 'queued' : 'running'
  }
  const head = (): RunHead => {
    const { steps, startedAt, lastAt, begins } = tree
    // A process that died has recorded no end; its last event is the best estimate.
    const endedAt = ended?.at ?? (isExecuted(status()) || lastAt === undefined ? undefined : timeText(lastAt))
    return {
      runbook: run.runbook,
      ...(run.title === undefined ? {} : { title: run.title }),
      status: status(),
      ...(startedAt === undefined ? {} : { started_at: timeText(startedAt) }),
      ...(endedAt === undefined ? {} : { ended_at: endedAt }),
      ...(lastAt === undefined ? {} : { last_at: timeText(lastAt) }),
      begins,
      ...(state?.turn && status() === 'queued' ? { turn: state.turn } : {}),
      ...(ended?.error ? { error: shownError(ended.error, mask) } : {}),
      steps: {
        total: steps.length,
        ended: steps.filter(hasEnded).length,
        failed: steps.filter((step) => hasEnded(step) && step.status === 'failed' && !step.isWarning).length,
      },
    }
  }
  const style = (nowMs: number): NodeStyle => ({
    nowMs,
    isActive: isExecuted(status()),
    mask,
    windowsOf,
    itemName(path) {
      const item = tree.items.facts(path)?.item
      return item === undefined ? undefined : mask.text(item)
    },
  })
  const nodesAt = (nowMs: number, isWanted: (step: StepView) => boolean): readonly StepNode[] => {
    const shown = style(nowMs)
    const nodes: StepNode[] = []
    const walk = (steps: Iterable<StepView>, parent?: string): void => {
      // Steps that catch the failure of a loop come after its items.
      let place = (parent !== undefined && loops.get(parent)?.total) || 0
      for (const step of steps) {
        const position = isItem(step.path) ? itemIndex(step.path) : place++
        const counts = loops.get(step.path)
        if (isWanted(step)) {
          const node = stepNode(
            step,
            { position, outer: parent ?? inside, ...(parent === undefined ? {} : { parent }) },
            shown,
          )
          const loop = counts && { loop: loopFacts(counts, step, shown) }
          nodes.push({ ...node, ...pastWaits.of(step.path), ...loop })
        }
        walk(innerNodes(step, itemsAround(step.path).length === 0), step.path)
      }
    }
    walk(inside === '' ? tree.steps : (itemOf(tree.stepOf(inside), inside)?.inner.values() ?? []))
    return nodes
  }
  return {
    get seq() {
      return seq
    },
    take(recorded) {
      const { event } = recorded
      seq = recorded.seq
      if ('path' in event && !isShown(event.path)) return
      if (event.type === 'run_started') {
        askingSteps.clear()
        ended = undefined
        state = undefined
      }
      if (event.type === 'run_finished') ended = event
      if (event.type === 'run_paused' || event.type === 'run_unpaused') isPaused = event.type === 'run_paused'
      const before = 'path' in event && event.type === 'step_started' ? tree.stepOf(event.path) : undefined
      // It begins again: what was inside it is gone.
      if (before?.path === (event as { path?: string }).path && (before?.inner.size ?? 0) > 0) wholeFrom = seq
      takeLoopEvent(event)
      askingSteps.take(event)
      tree.take(event)
      markChanged(event)
    },
    takeState(given) {
      const before = JSON.stringify([status(), state?.turn])
      state = given
      return JSON.stringify([status(), state.turn]) !== before
    },
    view(nowMs, afterSeq, withTimed = false) {
      const isWhole = afterSeq === undefined || afterSeq < wholeFrom
      const isTimed = ({ path, status, waits }: StepView): boolean =>
        withTimed && status === 'running' && (loops.has(path) || waits.size > 0)
      const nodes = nodesAt(
        nowMs,
        (step) => isWhole || (changed.get(step.path) ?? 0) > afterSeq || isTimed(step),
      )
      return { run_id: run.run_id, seq, ...(isWhole ? { is_whole: true } : {}), head: head(), nodes }
    },
    items(loopPath, nowMs, filter = {}) {
      const counts = loops.get(loopPath)
      const loop = tree.stepOf(loopPath)
      return counts && loop?.path === loopPath ? itemPage(counts, loop, filter, style(nowMs)) : undefined
    },
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

function itemOf(step: StepView | undefined, path: string): StepView | undefined {
  return step?.path === path ? step : undefined
}
