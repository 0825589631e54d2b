/** The Temporal engine: the same runs, each step an activity, on any number of workers. */
export { type FollowRunOptions, followRun, type StartedRun } from './client/follow-run.ts'
export { beginRun, type StartOptions, startRun } from './client/start-run.ts'
export { openTemporalEngine, type TemporalEngineOptions } from './client/temporal-engine.ts'
export { type CodecOptions, createCodec, type PayloadKey, readPayloadKeys } from './codec/index.ts'
export { actionQueueOf, connectClient, type TemporalSettings } from './connection.ts'
export { openTemporalLimits, type TemporalLimits } from './limits/index.ts'
export { searchAttributes } from './messages.ts'
export type { QueueClaim } from './worker/claim-queue.ts'
export { connectWithRetries } from './worker/connect-worker.ts'
export type { NoticePort, NoticeTry } from './worker/notice-activities.ts'
export { prepareRuntime, type RuntimeOptions, type WorkerLogLine } from './worker/prepare-runtime.ts'
export {
  type StartedWorker,
  startWorker,
  type WorkerDeployment,
  type WorkerOptions,
  type WorkerRole,
} from './worker/start-worker.ts'
