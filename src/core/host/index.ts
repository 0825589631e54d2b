export type {
  AttemptLog,
  AttemptMaker,
  EventInbox,
  KeptEvent,
  KnownAttempt,
  MadeAttempt,
  PreparedCall,
  QuestionLog,
  ReusableResults,
  RunControl,
} from './engine-ports.ts'
export type {
  Attempted,
  CallContext,
  CallRequest,
  CheckedInputs,
  Host,
  Listening,
  RememberedResult,
} from './host.ts'
export { createControlState } from './run-control.ts'
export { createRunHost } from './run-host.ts'
export { eventOutput, waitForEvent } from './wait-for-event.ts'
