import { CancellationScope, condition, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow'
import type { RunOutcome } from '../../../../core/interpret.ts'
import { keepNewestAnswers, type QuestionRecord, type RecordedAnswer } from '../../../../core/people/index.ts'
import type { ControlRequest, CurrentStep, WaitingAttempt } from '../../../../core/record/index.ts'
import type { ErrorData } from '../../../../core/run-error.ts'
import { recordedTime } from '../../../../core/times/index.ts'
import type { ContinuedControlRequest, ContinuedState } from '../../continued-state.ts'
import {
  type AnswerOrder,
  answerUpdate,
  type ContinuedAnswer,
  continuedStateQuery,
  controlUpdate,
  type EventsAnswer,
  eventsQuery,
  type RunStateAnswer,
  stateQuery,
} from '../../messages.ts'
import type { RunMemo } from '../../run-listing.ts'
import { onQuery, onUpdate } from '../handlers.ts'
import type { RunParts } from './run-parts.ts'

/** What a run does for its clients. */
export interface ServedClients {
  /** The state for the next execution of the run. */
  carry(outcome: Pick<RunOutcome, 'warnings' | 'warnings_left_out'>): ContinuedState
  /** The state of the run. */
  state(): RunStateAnswer
  /** The run has ended. */
  end(outcome: RunOutcome): void
}

type ServedParts = Omit<RunParts, 'drain'>

/** Answers the queries and updates of clients, from the first moment of the run to its end. */
export function serveClients(ports: ServedParts): ServedClients {
  const { start, recorder, control, questions } = ports
  const served: Served = { ...ports, ended: undefined }
  // Cancelling the workflow does not end this.
  void CancellationScope.nonCancellable(() => keepListed(served))
  onQuery<EventsAnswer, [number]>(eventsQuery, (afterSeq) => recorder.page(afterSeq))
  onQuery<RunStateAnswer>(stateQuery, () => stateOf(served))
  onQuery<ContinuedAnswer>(continuedStateQuery, () => {
    const { continued: _, ...withoutContinued } = start
    return { start: withoutContinued, continued: carriedOf(served, served.ended ?? {}) }
  })
  onUpdate<void, ControlRequest>(controlUpdate, (controlRequest) => control.obey(controlRequest))
  onUpdate<readonly RecordedAnswer[], AnswerOrder>(answerUpdate, questions.answer, questions.check)
  return {
    carry: (outcome) => carriedOf(served, outcome),
    state: () => stateOf(served),
    end(outcome) {
      served.ended = outcome
      upsertSearchAttributes({ OpsbookStatus: [outcome.status] })
      if (outcome.error) upsertMemo({ error: listedError(outcome.error) })
    },
  }
}

interface Served extends ServedParts {
  ended: RunOutcome | undefined
}

function statusOf({ ended, control, lineWait, questions, inbox }: Served): RunStateAnswer['status'] {
  if (ended) return 'ended'
  if (control.isPaused()) return 'paused'
  if (lineWait?.isWaiting()) return 'queued'
  const isAsking = questions.list().some(({ status }) => status === 'open')
  return isAsking || inbox.waiting().length > 0 ? 'waiting' : 'running'
}

function questionsOf({ questions, memory }: Served): readonly QuestionRecord[] {
  return keepNewestAnswers(questions.list(), memory.isOpen)
}

function stateOf(served: Served): RunStateAnswer {
  const { start, continued, recorder, control, inbox, lineWait } = served
  return {
    status: statusOf(served),
    ...(lineWait?.isWaiting() && start.line ? { line: start.line } : {}),
    // The steps of items are in the log: they can be more than one answer holds.
    steps: recorder.steps().filter(({ path, status }) => !path.includes('[') || status === 'running'),
    questions: questionsOf(served),
    resumes: continued.resumes,
    decisions: continued.decisions,
    control_requests: control.controlRequests(),
    ...(inbox.waiting().length === 0 ? {} : { waiting_attempts: inbox.waiting() }),
  }
}

function carriedOf(served: Served, { warnings, warnings_left_out }: Partial<RunOutcome>): ContinuedState {
  const { start, continued, memory, recorder, control, inbox, notifier, changed, seal, ended } = served
  return {
    ...memory.carry(),
    ...recorder.carry(memory.isOpen),
    ...inbox.carry(),
    ...(seal.key === undefined ? {} : { sealKey: seal.key }),
    questions: questionsOf(served),
    ...notifier.reminded(),
    control_requests: ended && ended.status !== 'unknown' ? control.carry().map(over) : control.carry(),
    resumes: continued.resumes,
    decisions: continued.decisions,
    ...(continued.reset ? { reset: continued.reset } : {}),
    ...(changed ? { changed: changed.carry() } : {}),
    ...(start.keeps && continued.decided ? { decided: continued.decided } : {}),
    warnings: {
      ...(warnings === undefined ? {} : { warnings }),
      ...(warnings_left_out === undefined ? {} : { warnings_left_out }),
    },
  }
}

/** Keeps what lists show of the run true: whether it waits or is paused, and what it waits for. */
async function keepListed(served: Served): Promise<void> {
  const { continued, questions, inbox } = served
  let listed: RunStateAnswer['status'] | undefined = continued.lastSeq === 0 ? 'running' : undefined
  let listedStep: CurrentStep | undefined
  // What works is not listed: each step would cost an event of the history.
  const newStep = (): CurrentStep | undefined => {
    const step = statusOf(served) === 'waiting' ? currentWait(questions.list(), inbox.waiting()) : undefined
    return step?.path === listedStep?.path && step?.since === listedStep?.since ? undefined : step
  }
  while (!served.ended) {
    await condition(() => statusOf(served) !== listed || newStep() !== undefined)
    const status = statusOf(served)
    const step = newStep()
    if (step) upsertMemo({ current_step: step } satisfies Pick<RunMemo, 'current_step'>)
    if (status !== listed && status !== 'ended') upsertSearchAttributes({ OpsbookStatus: [status] })
    listed = status
    listedStep = step ?? listedStep
  }
}

/** Marks a control request as over: the run has ended. */
function over(controlRequest: ContinuedControlRequest): ContinuedControlRequest {
  return controlRequest.over_at === undefined
    ? { ...controlRequest, over_at: recordedTime(Date.now()) }
    : controlRequest
}

const longestMessage = 500

/** A failure as lists show it. */
function listedError({ code, message, path }: ErrorData): ErrorData {
  return { code, message: message.slice(0, longestMessage), ...(path === undefined ? {} : { path }) }
}

/**
 * What a run waits for, as lists show it: the question whose time ends first, else the event whose time ends first.
 * Undefined: it waits for neither.
 */
function currentWait(
  questions: readonly QuestionRecord[],
  events: readonly WaitingAttempt[],
): CurrentStep | undefined {
  const asked = questions.flatMap(({ status, path, asked_at, until, schema }): readonly CurrentStep[] =>
    status === 'open'
      ? [{ path, since: asked_at, reason: schema ? 'answer' : 'approval', ...untilOf(until) }]
      : [],
  )
  return (
    firstToEnd(asked) ??
    firstToEnd(events.map(({ path, since, until }) => ({ path, since, reason: 'event', ...untilOf(until) })))
  )
}

function untilOf(until: string | undefined): Pick<CurrentStep, 'until'> {
  return until === undefined ? {} : { until }
}

/** Of those whose time ends together, the one that began first. */
function firstToEnd(waits: readonly CurrentStep[]): CurrentStep | undefined {
  let first: CurrentStep | undefined
  for (const wait of waits) if (first === undefined || endMsOf(wait) < endMsOf(first)) first = wait
  return first
}

function endMsOf({ until }: CurrentStep): number {
  return until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until)
}
