import {
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import type { RunOutcome } from '../../../core/interpret.ts'
import type { ControlRequest } from '../../../core/record/control-request.ts'
import { replacedBy } from '../../../core/record/successor.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { Carried, CarriedControlRequest } from '../carried.ts'
import { replacedSignal, type Successor } from '../concurrency/messages.ts'
import {
  type AnswerOrder,
  answerUpdate,
  type CarriedAnswer,
  carriedQuery,
  controlUpdate,
  type EventsPage,
  eventsQuery,
  type RunStart,
  type RunStateAnswer,
  stateQuery,
} from '../messages.ts'
import type { AmendedCalls } from './amended-calls.ts'
import { checkUpdate } from './check-update.ts'
import type { Recorder } from './create-recorder.ts'
import type { Questions } from './questions.ts'
import { requireReadableOrder } from './require-readable.ts'
import type { RunControl } from './run-control.ts'
import type { WorkflowMemory } from './workflow-memory.ts'

/** What clients ask about, and whom they talk to. */
export interface ClientPorts {
  readonly start: RunStart
  readonly carried: Carried
  readonly memory: WorkflowMemory
  readonly recorder: Recorder
  readonly control: RunControl
  readonly questions: Questions
  readonly amended: AmendedCalls | undefined
}

/** What a run does for its clients. */
export interface ServedClients {
  /** What the run takes along when it goes on elsewhere. */
  carry(outcome: Pick<RunOutcome, 'warnings' | 'warnings_left_out'>): Carried
  /** How the run stands. */
  state(): RunStateAnswer
  /** The run has ended. */
  end(outcome: RunOutcome): void
}

/** Answers the queries and updates of clients, from the first moment of the run to its end. */
export function serveClients({
  start,
  carried,
  memory,
  recorder,
  control,
  questions,
  amended,
}: ClientPorts): ServedClients {
  const { resumes, decisions } = carried
  let ended: RunOutcome | undefined
  const statusNow = (): RunStateAnswer['status'] => {
    if (ended) return 'ended'
    if (control.isPaused) return 'paused'
    return questions.list().some(({ status }) => status === 'open') ? 'waiting' : 'running'
  }
  const carry: ServedClients['carry'] = ({ warnings, warnings_left_out }) => ({
    ...memory.carry(),
    ...recorder.carry(memory.isOpen),
    questions: questions.list(),
    control_requests: ended && ended.status !== 'unknown' ? control.carry().map(over) : control.carry(),
    resumes,
    decisions,
    ...(amended ? { amended: amended.carry() } : {}),
    ...(start.keeps && carried.decided ? { decided: carried.decided } : {}),
    warnings: {
      ...(warnings === undefined ? {} : { warnings }),
      ...(warnings_left_out === undefined ? {} : { warnings_left_out }),
    },
  })
  let listed: RunStateAnswer['status'] | undefined = carried.lastSeq === 0 ? 'running' : undefined
  /** Lists show whether a run waits or is paused. */
  const keepListed = async (): Promise<void> => {
    while (!ended) {
      await condition(() => statusNow() !== listed)
      listed = statusNow()
      if (listed !== 'ended') upsertSearchAttributes({ OpsbookStatus: [listed] })
    }
  }
  // Whoever cancels the workflow ends none of this.
  void CancellationScope.nonCancellable(keepListed)
  setHandler(defineQuery<EventsPage, [number]>(eventsQuery), (afterSeq) => recorder.page(afterSeq))
  const state = (): RunStateAnswer => ({
    status: statusNow(),
    // What the log tells of items can be more than one answer holds.
    steps: recorder.steps().filter(({ path, status }) => !path.includes('[') || status === 'running'),
    questions: questions.list(),
    resumes,
    decisions,
    control_requests: control.control_requests(),
  })
  setHandler(defineQuery<RunStateAnswer>(stateQuery), state)
  setHandler(defineQuery<CarriedAnswer>(carriedQuery), () => {
    const { carried: _, ...withoutCarried } = start
    return { start: withoutCarried, carried: carry(ended ?? {}) }
  })
  setHandler(
    defineUpdate<void, [ControlRequest]>(controlUpdate),
    (controlRequest) => control.obey(controlRequest),
    {
      validator: (controlRequest) => checkUpdate(() => requireReadableOrder(controlRequest)),
    },
  )
  setHandler(defineSignal<[Successor]>(replacedSignal), ({ runId, by }) =>
    control.cancelOnce(by, replacedBy(runId)),
  )
  setHandler(defineUpdate<string, [AnswerOrder]>(answerUpdate), (order) => questions.answer(order), {
    validator: (order) =>
      checkUpdate(() => {
        requireReadableOrder(order)
        questions.choose(order)
      }),
  })
  return {
    carry,
    state,
    end(outcome) {
      ended = outcome
      upsertSearchAttributes({ OpsbookStatus: [outcome.status] })
      if (outcome.error) upsertMemo({ error: listedError(outcome.error) })
    },
  }
}

/** It counts no more: the run has ended. */
function over(controlRequest: CarriedControlRequest): CarriedControlRequest {
  return controlRequest.over_at === undefined
    ? { ...controlRequest, over_at: new Date(Date.now()).toISOString() }
    : controlRequest
}

const longestMessage = 500

/** A failure as lists show it. */
function listedError({ code, message, path }: ErrorData): ErrorData {
  return { code, message: message.slice(0, longestMessage), ...(path === undefined ? {} : { path }) }
}
