import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import type { RecordedEvent } from '../../core/record/index.ts'
import { itemPage } from './loop-facts.ts'
import type { ItemFilter, ItemPage, RunView } from './run-view.ts'
import { takeRunEvent } from './take-run-event.ts'
import { runFacts } from './tree/run-facts.ts'
import { createRunTree } from './tree/run-tree.ts'
import type { StepView } from './tree/step-view.ts'
import { viewedNodes, viewedStyle } from './viewed-nodes.ts'
import {
  mostItemNodes,
  type RunViewOptions,
  type RunViewState,
  type ViewedRun,
  viewedHead,
  viewedStatus,
} from './viewed-run.ts'

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

/** Creates the view of a run that has taken no events yet. */
export function createRunView(
  run: ViewedRun['run'] & { readonly plan: Plan; readonly inputs?: JsonObject },
  { mask = { text: (text) => text }, inside = '', windowsOf = () => undefined }: RunViewOptions = {},
): LiveRunView {
  const viewed: ViewedRun = {
    run,
    mask,
    inside,
    windowsOf,
    tree: createRunTree({ ...runFacts(run.plan, run.inputs), keptItems: mostItemNodes, mask }),
    loops: new Map(),
    changed: new Map(),
    pastWaits: new Map(),
    seq: 0,
    wholeFrom: 0,
    isPaused: false,
    ended: undefined,
    state: undefined,
  }
  return {
    get seq() {
      return viewed.seq
    },
    take: (recorded) => takeRunEvent(viewed, recorded),
    takeState(state) {
      const shown = (): string => JSON.stringify([viewedStatus(viewed), viewed.state?.place_in_line])
      const before = shown()
      viewed.state = state
      return shown() !== before
    },
    view(nowMs, afterSeq, withTimed = false) {
      const { seq, wholeFrom, changed, loops } = viewed
      const isWhole = afterSeq === undefined || afterSeq < wholeFrom
      const isTimed = ({ path, status, waits }: StepView): boolean =>
        withTimed && status === 'running' && (loops.has(path) || waits.size > 0)
      const nodes = viewedNodes(
        viewed,
        nowMs,
        (step) => isWhole || (changed.get(step.path) ?? 0) > afterSeq || isTimed(step),
      )
      return {
        run_id: run.run_id,
        seq,
        ...(isWhole ? { is_whole: true } : {}),
        head: viewedHead(viewed),
        nodes,
      }
    },
    items(loopPath, nowMs, filter = {}) {
      const counts = viewed.loops.get(loopPath)
      const loop = viewed.tree.stepOf(loopPath)
      return counts && loop?.path === loopPath
        ? itemPage(counts, loop, filter, viewedStyle(viewed, nowMs))
        : undefined
    },
  }
}
