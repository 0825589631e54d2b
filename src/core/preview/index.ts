export {
  argumentProblems,
  gatherCalls,
  outsideSteps,
  type Preview,
  type PreviewOptions,
  previewPlan,
  secretsNeeded,
} from './preview-plan.ts'
export { previewValue } from './preview-value.ts'
export type {
  BranchPreview,
  Calls,
  CatchPreview,
  ConditionPreview,
  RunbookPreview,
  StepPreview,
  UsesPreview,
  ValuePreview,
} from './step-preview.ts'
export type { ApprovalTotal, Totals } from './totals.ts'
export type { Counted } from './walk-context.ts'
export { anyTurn } from './walk-turns.ts'
