/** What a screen shows of a run, from its events: pure, without a clock, Node or a terminal. */
export { createRunView, type LiveRunView } from './create-run-view.ts'
export {
  type FailureGroup,
  type ItemFilter,
  type ItemInFlight,
  type ItemPage,
  type ItemRow,
  type LoopFacts,
  type NodeWait,
  type PastWait,
  type RunHead,
  type RunView,
  type ShownError,
  type ShownWarning,
  type StepNode,
  usualItems,
} from './run-view.ts'
export { createItemNames, type ItemNames } from './tree/item-names.ts'
export { plannedSteps, runFacts } from './tree/run-facts.ts'
export { createRunTree, isTolerated, type LiveRunTree, type RunTree, runTreeOf } from './tree/run-tree.ts'
export { enclosingPaths, isItem } from './tree/step-paths.ts'
export { hasEnded, isLoopView, isWaiting, type Progress, type StepView, type Wait } from './tree/step-view.ts'
export type { RunViewState } from './viewed-run.ts'
