/** At most `max` calls in any `lengthMs`. */
export interface RateWindow {
  readonly max: number
  readonly lengthMs: number
}

/**
 * One slot taken out of the windows. The service counts the call at some instant between `sentAt` and
 * `answeredAt`; until an answer is here, `marginMs` after sending is taken as the latest such instant.
 */
export interface Slot {
  readonly sentAt: number
  readonly answeredAt?: number
}
