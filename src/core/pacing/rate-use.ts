/** How full the rate windows of an action are. */
export interface RateUse {
  readonly action: string
  /** Calls that are under way count, too. */
  readonly windows: readonly {
    readonly per: 'second' | 'minute' | 'day'
    readonly used: number
    readonly limit: number
  }[]
  /** RFC 3339: when the next call can leave, if nothing else happens until then. Left out: now. */
  readonly free_at?: string
  /** The service has refused calls as too frequent, and none leaves until `free_at`. */
  readonly is_throttled?: true
}
