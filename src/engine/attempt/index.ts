export {
  artifactsFolder,
  type CallArtifacts,
  checkFileName,
  claimsFolder,
  fileIn,
  fileTaken,
  folderSize,
} from './artifact-files.ts'
export { canonicalHash } from './canonical-hash.ts'
export { type Clock, systemClock, waitUntil } from './clock.ts'
export { type Connect, type OpenConnection, openConnections } from './connections.ts'
export { type AttemptCall, type AttemptPorts, makeAttempt } from './make-attempt.ts'
export { openRunFile } from './open-run-file.ts'
export { preflightCheck, refuseMalformedKey } from './preflight-check.ts'
export { sentText } from './sent-text.ts'
