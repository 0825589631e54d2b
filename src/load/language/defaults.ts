/**
 * What a runbook means that leaves a key out: the compiler applies it, the editor schema and the reference show it.
 * Those of `retry` and `throttle` are in the core, since the client has them too.
 */
export const languageDefaults = {
  concurrency: { limit: 1, onConflict: 'reject' },
  forEach: { as: 'item', maxParallel: 1, tolerate: 0 },
  repeat: { intervalMs: 5000, maxWaitMs: 600_000 },
  parallel: { onBranchError: 'wait-all' },
  maxStarts: { count: 20, perMs: 600_000 },
  schedule: { timezone: 'UTC', overlap: 'skip', catchUpMs: 60_000 },
} as const
