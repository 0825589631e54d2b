export { createPermit, type Permit, sendWithPermit } from './permit.ts'
export { type AcquireOptions, type RateBudget, type RateLease, unlimited } from './rate-budget.ts'
export { createWaitingLane, type NoPermit, type WaitingLane, waitForPermit } from './wait-for-permit.ts'
export { cancelled, joinSignals, longestTimerMs, sleepUntil, steadyNow, timerMs } from './waits.ts'
