import type { AttemptResult, PauseReason } from './attempts.ts'
import type { RunEvent } from './events.ts'
import type { JsonObject } from './json.ts'

/** One attempt to make, as the interpreter asks for it. */
export interface CallRequest {
  /** Stable name of the call within its run, such as `checks/group-2` or `hosts[3]`. */
  readonly path: string
  /** From 1. */
  readonly attempt: number
  readonly action: string
  readonly input: JsonObject
  /** Relative path of the artifact the call writes. */
  readonly saveAs?: string
  readonly attemptTimeoutMs?: number
}

/**
 * Everything that differs between the places a plan runs in. The interpreter asks; the host does, and remembers:
 * a call that the journal holds is answered from the journal.
 */
export interface Host {
  /** Makes exactly one attempt. Rejects with `Interrupted` when the run must stop here. */
  call(request: CallRequest): Promise<AttemptResult>
  /** Resolves at that time of {@link now}, or rejects with `Interrupted`. */
  sleepUntil(timeMs: number, pause: { readonly path: string; readonly reason: PauseReason }): Promise<void>
  /** Milliseconds since 1970. */
  now(): number
  /** Tells the listeners. */
  report(event: RunEvent): void
}
