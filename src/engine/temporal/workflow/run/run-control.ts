import { condition } from '@temporalio/workflow'
import type { Identity, RunEvent } from '../../../../core/events.ts'
import type { Cancellation } from '../../../../core/host/index.ts'
import { createControlState, type HostControls as HostControl } from '../../../../core/host/index.ts'
import {
  type ControlRequest,
  type ControlRequestRecord,
  controlEvent,
} from '../../../../core/record/index.ts'
import type { ErrorData } from '../../../../core/run-error.ts'
import { recordedTime } from '../../../../core/times/index.ts'
import type { ContinuedControlRequest, ContinuedState } from '../../continued-state.ts'
import type { WorkflowMemory } from './workflow-memory.ts'

/** The control requests of a run, as its host obeys them. */
export interface RunControl extends HostControl {
  obey(controlRequest: ControlRequest): void
  /**
   * Obeys those of earlier executions again, in the order of the record. Called when the interpreter begins: a
   * cancellation that was replayed before the first call begins would overtake what ended before it.
   */
  replay(): void
  /** Cancels the run, unless it is cancelled already: a second request would abandon its clean-up. */
  cancelOnce(by: Identity): void
  /** Cancels a run that cannot continue, so that it cleans up and ends. */
  giveUp(reason: ErrorData): void
  controlRequests(): readonly ControlRequestRecord[]
  /** For the continued state. */
  carry(): readonly ContinuedControlRequest[]
}

type ControlMemory = Pick<WorkflowMemory, 'replay' | 'caughtUp' | 'isCaughtUp' | 'ended' | 'continuedOf'>

/** `draining`: cancelled when the run is to continue as a new execution, and a paused run stops waiting. */
export function createRunControl(
  { control_requests: controlRequests }: ContinuedState,
  memory: ControlMemory,
  draining: Cancellation,
  report: (event: RunEvent) => void,
): RunControl {
  const state = createControlState(report)
  const taken: ContinuedControlRequest[] = [...controlRequests]

  const obey = (controlRequest: ControlRequest): void => {
    const at = recordedTime(Date.now())
    taken.push({ ...controlRequest, at, taken_at: at, after: memory.ended() })
    const times = state.take(controlRequest.kind)
    report(controlEvent(controlRequest))
    if (memory.isCaughtUp()) state.cancel(times)
    else void memory.caughtUp.then(() => state.cancel(times))
  }
  const open = controlRequests.filter(({ over_at }) => over_at === undefined)
  const earlier = open.map((controlRequest) => ({ controlRequest, times: state.take(controlRequest.kind) }))
  /** It takes effect when everything before it has been replayed. */
  const obeyAgain = async ({ controlRequest, times }: (typeof earlier)[number]): Promise<void> => {
    await memory.replay.waitForReplay(
      Date.parse(controlRequest.taken_at ?? controlRequest.at),
      controlRequest.after - 0.5,
    )
    state.cancel(times)
  }
  return {
    cancellation: state.cancellation,
    abandonment: state.abandonment,
    ready: (path, context) =>
      state.ready(path, context, (isReady) => condition(() => isReady() || draining.reason !== undefined)),
    obey,
    replay() {
      for (const one of earlier) void obeyAgain(one)
    },
    cancelOnce(by) {
      if (state.requested() === 0) obey({ kind: 'cancel', by })
    },
    giveUp: (reason) => state.cancellation.cancel(reason),
    isPaused: state.isPaused,
    controlRequests: () => taken.map(({ after: _, ...controlRequest }) => controlRequest),
    carry: () =>
      taken.map((controlRequest) => ({ ...controlRequest, after: memory.continuedOf(controlRequest.after) })),
  }
}
