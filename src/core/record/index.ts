export {
  beforeText,
  type Concurrency,
  concurrencyConflict,
  concurrencyOf,
  heldText,
  joinText,
  keyTaken,
  waitingText,
} from './concurrency-key.ts'
export { hasText, inputsHaveText } from './has-text.ts'
export { itemIndex, itemName, itemPathsOf, shortItem } from './item-name.ts'
export { createPlanIndex, type PlanIndex, plannedAction } from './plan-index.ts'
export { refusedAsOver, refuseEnded } from './refused.ts'
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
  startersOf,
} from './run-history.ts'
export {
  failuresIn,
  mostAnswerBytes,
  mostOutputBytes,
  resultTooLarge,
  type Warnings,
} from './run-memory.ts'
export type { TriggerSource } from './run-record.ts'
export {
  type ArtifactRecord,
  type AttemptRecord,
  type CurrentStep,
  isExecuted,
  isUnfinished,
  type OpenStatus,
  openStatuses,
  type PlaceInLine,
  type RecordedEvent,
  type RecordedStatus,
  type RunRecord,
  type RunState,
  type RunSummary,
  recordedStatuses,
  type SentRecord,
  type StepRecord,
  type WaitingAttempt,
} from './run-record.ts'
export { canBeSensitive, sensitiveInputs, sensitivePaths, sensitiveValues } from './sensitive-values.ts'
export {
  createStepRecords,
  isEventInside,
  isKeptInLog,
  isPathInside,
  type StepRows,
  withoutLargeOutputs,
} from './step-records.ts'
export {
  hasUnknownOutcome,
  isLeftUnresolved,
  leftUnresolved,
  needsDecision,
  refusedAsContinued,
  refusedAsDecided,
  resolvedAsFailed,
} from './unresolved-calls.ts'
