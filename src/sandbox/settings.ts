/** How a sandbox behaves; all of it can be changed while it runs (`POST /_sandbox/config`). */
export interface SandboxSettings {
  /** Added to every answer of the API. @default 0 */
  readonly latencyMs: number
  /** Whether the rate limits of the document hold. @default true */
  readonly limits: boolean
  /** `document`: answers as the API document prints them; `newer`: the shapes newer services answer with. @default 'document' */
  readonly shape: 'document' | 'newer'
  /** How long E6 may stream, in milliseconds. @default 60_000 */
  readonly exportCapMs: number
  /** How long a tool on `slow-01` takes, give or take a third. */
  readonly slowToolMs: number
  /** How long a call to `busy-01` takes. */
  readonly busyToolMs: number
  /** How long a tool may take before it fails with `timeout`. */
  readonly toolTimeoutMs: number
  /** Where `POST /_sandbox/incidents` sends its events; empty for nowhere. @default '' */
  readonly webhookUrl: string
}

/** How a sandbox is started. */
export interface SandboxOptions
  extends Partial<Pick<SandboxSettings, 'latencyMs' | 'limits' | 'webhookUrl' | 'exportCapMs' | 'shape'>> {
  /** 0 picks a free port. @default 0 */
  readonly port?: number
  /** @default '127.0.0.1' */
  readonly host?: string
  /** Host names that requests may name, besides IP addresses, `localhost` and `host`. @default none */
  readonly allowHosts?: readonly string[]
  /** What calls changed is kept in this file and read from it at the next start. @default nothing is kept */
  readonly stateFile?: string
  /** What they have in the header `X-Sandbox-Token`. @default 'sandbox-webhook-token' */
  readonly webhookToken?: string
  /** The same seed, the same ids and values. @default the one in the state file, else 'opsbook' */
  readonly seed?: string | number
}

/** A sandbox that runs. */
export interface Sandbox {
  /** The base URL, without a slash at its end. */
  readonly url: string
  /** Stops at once: open connections and streams are cut, the state file is written. Safe to call twice. */
  close(): Promise<void>
}
