import type { SandboxClock } from './clock.ts'
import type { FaultList } from './faults.ts'
import type { JsonObject } from './json.ts'
import type { Caller } from './keys.ts'
import type { HandledOutcome } from './outcome.ts'
import type { RateLimits } from './rate-limits.ts'
import type { RequestLog } from './request-log.ts'
import type { SandboxSettings } from './settings.ts'
import type { World } from './world.ts'

/** One call that reached its operation: its body has passed the schema. */
export interface ReceivedCall<Body> {
  readonly body: Body
  readonly caller: Caller
  readonly requestId: string
}

/** What an operation does with a call. */
export type Execute<Body> = (
  call: ReceivedCall<Body>,
  runtime: Runtime,
) => HandledOutcome | Promise<HandledOutcome>

/** Everything that lives as long as the sandbox does. `POST /_sandbox/reset` replaces the first two. */
export interface Runtime {
  world: World
  settings: SandboxSettings
  readonly clock: SandboxClock
  readonly limits: RateLimits
  readonly faults: FaultList
  readonly requests: RequestLog
  /** Hosts that are working on a call. */
  readonly busyHosts: Set<string>
  /** What was called on hosts that fail the first time. */
  readonly visited: Set<string>
  readonly webhookToken: string
  /** Aborted when the sandbox closes: all waits end. */
  readonly closing: AbortSignal
  /** The next `request_id`. */
  nextRequestId(): string
  /** Everything as on the first day, the clock and the settings too. */
  reset(seed?: string): void
  /** Returns when every change so far is in the state file. */
  save(): Promise<void>
}

/** Records a call that changed something. */
export function recordChange(
  { caller, requestId }: ReceivedCall<unknown>,
  runtime: Runtime,
  operation: string,
  detail: JsonObject,
): void {
  runtime.world.addAudit({
    at: Math.floor(runtime.clock.now()),
    account_id: caller.accountId,
    user_id: caller.userId,
    key: caller.key,
    operation,
    request_id: requestId,
    detail,
  })
}
