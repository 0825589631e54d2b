/** How a sandbox behaves; all of it can be changed while it runs (`POST /_sandbox/config`). */
export interface Settings {
  /** Added to every answer of the API. */
  readonly latencyMs: number
  /** Whether calls are counted against the rate limits. */
  readonly limits: boolean
  /** `document`: answers as the API document prints them; `newer`: the shapes newer services answer with. */
  readonly shape: 'document' | 'newer'
  /** How long E6 may stream. */
  readonly exportCapMs: number
  /** How long a tool on `slow-01` takes, give or take a third. */
  readonly slowToolMs: number
  /** How long a call to `busy-01` takes. */
  readonly busyToolMs: number
  /** How long a tool may take before it fails with `timeout`. */
  readonly toolTimeoutMs: number
  /** Where incidents are sent; empty for nowhere. */
  readonly webhookUrl: string
}

export const defaultSettings: Settings = {
  latencyMs: 0,
  limits: true,
  shape: 'document',
  exportCapMs: 60_000,
  slowToolMs: 3000,
  busyToolMs: 300,
  toolTimeoutMs: 10_000,
  webhookUrl: '',
}
