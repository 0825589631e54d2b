export { type ChangedRun, type CheckInputs, type ChosenWork, chooseWork } from './choose-work.ts'
export { applyChanges, type ChangedRecord, previewResume } from './compare-resume.ts'
export { findWrites, hasStepIn, placedSteps } from './placed-steps.ts'
export { type CountingAttempt, refuseChanges } from './refuse-resume.ts'
export type { Overrides, ResumeChanges } from './resume-changes.ts'
export { isKeptBy, readOverrides } from './resume-changes.ts'
export type { ResumeComparison, StepComparison, StepFate } from './resume-comparison.ts'
export {
  type CallName,
  createReusableResults,
  outcomeOfEnded,
  type ReusableResult,
} from './reusable-results.ts'
export { skipSteps } from './skip-steps.ts'
