/**
 * The workflows that a worker registers: the entry point of the bundle. The default one runs every type without a function
 * of its name: the runs, whose type names their runbook.
 */

export { opsbookConcurrencyLock } from './concurrency/concurrency-lock.ts'
export { opsbookLine } from './concurrency/line.ts'
export { opsbookScheduled } from './concurrency/scheduled-start.ts'
export { opsbookRateLimiter } from './limits/rate-limiter.ts'
export { opsbookTargetLock } from './limits/target-lock.ts'
export { opsbookNotice } from './notifications/notifier.ts'
export { opsbookEvents } from './received-events/event-store.ts'
export { opsbookCanceller } from './run/canceller.ts'
// biome-ignore lint/style/noDefaultExport: the SDK requires a default export
export { runbookRun as default } from './run/run-workflow.ts'
