export {
  type CallbackSettings,
  callbackAddresses,
  isCallbackToken,
  noPublicUrl,
  pageOfRun,
  requirePublicUrl,
} from './callback-address.ts'
export { callWord, chooseCall, refuseChangedCall, refuseRetry } from './choose-call.ts'
export { chooseChanged } from './choose-changed.ts'
export { createEventStream } from './event-stream.ts'
export { type RunHandle, type RunReport, reportOf } from './run-handle.ts'
export { createRunId } from './run-id.ts'
export { systemIdentity, systemUser } from './system-user.ts'
