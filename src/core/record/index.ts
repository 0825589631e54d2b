export { callFingerprint } from './call-fingerprint.ts'
export { answeredWord, chooseQuestion } from './choose-question.ts'
export { answererText, type Identity, identityText } from './identity.ts'
export { createPlanIndex, type PlanIndex, plannedAction } from './plan-index.ts'
export { refused, refusedAsItStands, refusedAsOver, refuseEnded } from './refused.ts'
export { type IsKept, type ReopenedAttempt, type ReopenedRecord, reopenFailed } from './reopen-failed.ts'
export { createReplayOrder, type ReplayOrder } from './replay-order.ts'
export {
  type ControlKind,
  type ControlRequest,
  type ControlRequestRecord,
  changedBy,
  controlEvent,
  type DecisionRecord,
  type ResumeRecord,
  type RunHistory,
} from './run-history.ts'
export type { TriggerSource } from './run-record.ts'
export {
  type ArtifactRecord,
  type AttemptRecord,
  type CurrentStep,
  isExecuted,
  isUnfinished,
  type OpenStatus,
  openStatuses,
  type QuestionRecord,
  type RecordedEvent,
  type RecordedStatus,
  type RunRecord,
  type RunState,
  type RunSummary,
  recordedStatuses,
  type SentRecord,
  type StepRecord,
  type TurnRecord,
  type WaitingAttempt,
} from './run-record.ts'
export { canBeSensitive, sensitiveInputs, sensitivePaths, sensitiveValues } from './sensitive-values.ts'
export { shownInput } from './shown-input.ts'
export {
  catchPath,
  catchSegment,
  isEventInside,
  stepAddressOfCall,
  stepIdOf,
  withoutPositions,
} from './step-address.ts'
export { createStepRecords, isKeptInLog, type StepRows, withoutLargeOutputs } from './step-records.ts'
export {
  hasUnknownOutcome,
  isLeftUnresolved,
  leftUnresolved,
  needsDecision,
  refusedAsContinued,
  refusedAsDecided,
  resolvedAsFailed,
} from './unresolved-calls.ts'
