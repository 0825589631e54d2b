export { type Cancellation, type CancellationSource, createCancellation } from './cancellation.ts'
export type {
  AttemptLog,
  AttemptMaker,
  EventInbox,
  HostControls,
  KeptEvent,
  KnownAttempt,
  MadeAttempt,
  ParallelLimit,
  PreparedCall,
  QuestionLog,
  ReusableResultStore,
} from './engine-ports.ts'
export type {
  Attempted,
  CallContext,
  CallRequest,
  CheckedChildInputs,
  Host,
  Listening,
  RememberedResult,
} from './host.ts'
export { createControlState } from './run-control.ts'
export { createRunHost } from './run-host.ts'
export { eventOutput, waitForEvent } from './wait-for-event.ts'
