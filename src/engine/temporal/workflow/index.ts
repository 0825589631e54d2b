/**
 * The workflows that a worker registers: the bundle that is replayed begins here. The default one takes every type that
 * has no function of its name: the runs, whose type names their runbook.
 */
export { opsbookCanceller } from './canceller.ts'
export { opsbookConcurrencyLock } from './concurrency-lock.ts'
export { opsbookEvents } from './event-book.ts'
export { opsbookNotice } from './notice-workflow.ts'
export { opsbookRateLimiter } from './rate-limiter.ts'
// biome-ignore lint/style/noDefaultExport: that is how the SDK finds it
export { runbookRun as default } from './run-workflow.ts'
export { opsbookScheduled } from './scheduled-start.ts'
export { opsbookTargetLock } from './target-lock.ts'
