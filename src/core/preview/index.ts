export {
  evaluateTemplate,
  type KnownScope,
  known,
  knownMap,
  ofAnswer,
  previewValue,
  templateEntriesOf,
  unknown,
} from './known.ts'
export {
  argumentProblems,
  gatherCalls,
  outsideSteps,
  type Preview,
  type PreviewOptions,
  previewPlan,
  secretsNeeded,
} from './preview-plan.ts'
export type { CatchPreview, RunbookPreview, StepPreview, UsesPreview } from './step-preview.ts'
export type { Counted } from './walk-context.ts'
export { anyTurn } from './walk-turns.ts'
