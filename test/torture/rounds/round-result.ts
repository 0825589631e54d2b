/** What came of one round. */
export interface RoundResult {
  /** What was done to the run, in words. */
  readonly story: readonly string[]
  /** How its runs ended. */
  readonly statuses: readonly string[]
  /** Everything that is not as it must be. */
  readonly complaints: readonly string[]
  /** How many processes were ended before their time. */
  readonly struck: number
  /** What else there is to count. */
  readonly counts?: Readonly<Record<string, number>>
}
