export {
  entriesOf,
  evaluateTemplate,
  type KnownScope,
  known,
  knownMap,
  previewValue,
  templateSource,
  unknown,
} from './known.ts'
export {
  argumentProblems,
  outsideSteps,
  type Preview,
  type PreviewOptions,
  previewPlan,
  secretsNeeded,
} from './preview-plan.ts'
export type { CatchPreview, RunbookPreview, StepPreview, UsesPreview } from './step-preview.ts'
export type { Counted } from './walk-context.ts'
