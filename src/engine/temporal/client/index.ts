export { plainAccepted, plainVariable, protection } from '../codec/index.ts'
export { connectClient, type TemporalSettings } from '../connection.ts'
export { type RunStart, searchAttributes } from '../messages.ts'
export { findObstacles } from './check-runs.ts'
export type { ClientPorts } from './client-ports.ts'
export { readEvents } from './follow-events.ts'
export { followRun } from './follow-run.ts'
export {
  type FoundWorkers,
  lookForWorkers,
  type Poller,
  workersMissing,
} from './look-for-workers.ts'
export { readStart } from './read-history.ts'
export { readUndelivered } from './read-undelivered.ts'
export { missingSearchAttributes, registerSearchAttributes } from './register-search-attributes.ts'
export { openChanges, resumeRun } from './resume-run.ts'
export { beginRun, startRun } from './start-run.ts'
export { openTemporalEngine } from './temporal-engine.ts'
