/** The workflows that a worker registers: the bundle that is replayed begins here. */
export { opsbookCanceller } from './canceller.ts'
export { opsbookEvents } from './event-book.ts'
export { opsbookKeyKeeper } from './key-keeper.ts'
export { opsbookNotice } from './notice-workflow.ts'
export { opsbookRateLimiter } from './rate-limiter.ts'
export { opsbookRun } from './run-workflow.ts'
export { opsbookScheduled } from './scheduled-start.ts'
export { opsbookTargetLock } from './target-lock.ts'
