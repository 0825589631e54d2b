import { condition } from '@temporalio/workflow'
import type { Cancellation } from '../../../core/cancellation.ts'
import type { RunEvent } from '../../../core/events.ts'
import { createControlState } from '../../../core/host/run-control.ts'
import type { CallContext } from '../../../core/host.ts'
import { type ControlRequest, controlEvent } from '../../../core/record/control-request.ts'
import type { Identity } from '../../../core/record/identity.ts'
import type { ControlRequestRecord } from '../../../core/record/run-history.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { CarriedControlRequest } from '../carried.ts'
import type { WorkflowMemory } from './workflow-memory.ts'

/** What people want of the run while it goes on, as its host obeys it. */
export interface RunControl {
  readonly cancellation: Cancellation
  readonly abandonment: Cancellation
  /** Resolves when a new call may be made, or when it is no longer wanted: at once, unless the run is paused. */
  ready(path: string, context: CallContext): Promise<void> | undefined
  obey(controlRequest: ControlRequest): void
  /** The run is to end, unless somebody has cancelled it already: a second time would give its clean-up up. */
  cancelOnce(by: Identity, comment?: string): void
  /** The run cannot go on: it is cleaned up, and ends. */
  giveUp(reason: ErrorData): void
  readonly isPaused: boolean
  control_requests(): readonly ControlRequestRecord[]
  /** As the run takes them along. */
  carry(): readonly CarriedControlRequest[]
}

/** What obeying takes. */
export interface RunControlOptions {
  readonly report: (event: RunEvent) => void
  readonly memory: Pick<WorkflowMemory, 'replay' | 'caughtUp' | 'isCaughtUp' | 'ended' | 'carriedOf'>
  /** Those that executions before this one have obeyed. */
  readonly control_requests: readonly CarriedControlRequest[]
}

export function createRunControl({ report, memory, control_requests }: RunControlOptions): RunControl {
  const state = createControlState(report)
  const taken: CarriedControlRequest[] = [...control_requests]

  const obey = (controlRequest: ControlRequest): void => {
    const at = isoTime(Date.now())
    taken.push({ ...controlRequest, at, taken_at: at, after: memory.ended })
    const times = state.take(controlRequest.kind)
    report(controlEvent(controlRequest))
    if (memory.isCaughtUp) state.cancel(times)
    else void memory.caughtUp.then(() => state.cancel(times))
  }
  /** It takes effect once everything done before it has been replayed. */
  const obeyAgain = async (controlRequest: CarriedControlRequest): Promise<void> => {
    const times = state.take(controlRequest.kind)
    await memory.replay.waitForTurn(
      Date.parse(controlRequest.taken_at ?? controlRequest.at),
      controlRequest.after - 0.5,
    )
    state.cancel(times)
  }
  for (const controlRequest of control_requests)
    if (controlRequest.over_at === undefined) void obeyAgain(controlRequest)
  return {
    cancellation: state.cancellation,
    abandonment: state.abandonment,
    ready: (path, context) => state.ready(path, context, condition),
    obey,
    cancelOnce(by, comment) {
      if (state.requested === 0) obey({ kind: 'cancel', by, ...(comment === undefined ? {} : { comment }) })
    },
    giveUp: (reason) => state.cancellation.cancel(reason),
    get isPaused() {
      return state.isPaused
    },
    control_requests: () => taken.map(({ after: _, ...controlRequest }) => controlRequest),
    carry: () =>
      taken.map((controlRequest) => ({ ...controlRequest, after: memory.carriedOf(controlRequest.after) })),
  }
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
