import type { RunEvent } from '../events.ts'
import { type ControlKind, runCancelled } from '../record/run-history.ts'
import { type Cancellation, type CancellationSource, createCancellation } from './cancellation.ts'
import type { CallContext } from './host.ts'

/** What control requests have made of a run: paused, cancelled, or cancelled together with its clean-up. */
export interface ControlState {
  readonly cancellation: CancellationSource
  /** The clean-up is cancelled, too. */
  readonly abandonment: Cancellation
  isPaused(): boolean
  /** How many cancellations were requested. {@link cancel} may have applied fewer. */
  requested(): number
  /** Takes a request. Every kind but `pause` ends a pause. Returns how many cancellations to {@link cancel} with. */
  take(kind: ControlKind): number
  /** Applies this number of cancellations. The first one cancels the run, the second one its clean-up. */
  cancel(times: number): void
  /**
   * Waits while the run is paused and the call is wanted. Undefined where there is nothing to wait for. `waitUntil` may
   * resolve before its condition holds only where the process must stop.
   */
  ready(
    path: string,
    context: CallContext,
    waitUntil: (isReady: () => boolean) => Promise<void>,
  ): Promise<void> | undefined
}

/** The state of a run without requests. */
export function createControlState(report: (event: RunEvent) => void): ControlState {
  const cancellation = createCancellation()
  const abandonment = createCancellation()
  let isPaused = false
  let requested = 0
  let applied = 0
  return {
    cancellation,
    abandonment,
    isPaused: () => isPaused,
    requested: () => requested,
    take(kind) {
      // Clean-up that waited for the end of a pause would be abandoned in the end.
      isPaused = kind === 'pause'
      const times = cancellationsOf(kind)
      requested += times
      return times
    },
    cancel(times) {
      applied += times
      if (applied > 0) cancellation.cancel(runCancelled)
      if (applied > 1) abandonment.cancel(runCancelled)
    },
    ready(path, { cancellation: stop, onWaiting }, waitUntil) {
      if (!isPaused || stop.reason) return undefined
      report({ type: 'waiting', path, reason: 'pause' })
      onWaiting(true)
      return waitUntil(() => !isPaused || stop.reason !== undefined).then(() => onWaiting(false))
    },
  }
}

function cancellationsOf(kind: ControlKind): number {
  return kind === 'cancel' ? 1 : kind === 'cancel-now' ? 2 : 0
}
