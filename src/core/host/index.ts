export type {
  AttemptLog,
  AttemptMaker,
  EventInbox,
  HostControls,
  KeptEvent,
  KnownAttempt,
  MadeAttempt,
  PreparedCall,
  QuestionLog,
  ReusablePorts,
} from './engine-ports.ts'
export type {
  Attempted,
  CallContext,
  CallRequest,
  Host,
  InputsOfChild,
  Listening,
  RememberedResult,
} from './host.ts'
export { createControlState } from './run-control.ts'
export { createRunHost } from './run-host.ts'
export { eventOutput, waitForEvent } from './wait-for-event.ts'
