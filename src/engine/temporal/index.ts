/** The Temporal engine: the same runs, each step an activity, on any number of workers. */
export { type FollowRunOptions, followRun } from './client/follow-run.ts'
export { beginRun, type StartedRun, type StartOptions, startRun } from './client/start-run.ts'
export { openTemporalEngine, type TemporalEngineOptions } from './client/temporal-engine.ts'
export { actionQueueOf, connectClient, type TemporalSettings } from './connection.ts'
export { searchAttributes } from './messages.ts'
export { type StartedWorker, startWorker, type WorkerOptions } from './worker/start-worker.ts'
