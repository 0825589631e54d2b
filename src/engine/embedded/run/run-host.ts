import type { Action } from '../../../actions/index.ts'
import { bareAction, safetyOf } from '../../../core/action.ts'
import {
  createRunHost,
  type EventInbox,
  type Host,
  type ReusableResultStore,
} from '../../../core/host/index.ts'
import { type Plan, stepAddressOfCall } from '../../../core/plan/index.ts'
import { createPlanIndex, plannedAction, type ReplayOrder } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { type AttemptPorts, makeAttempt } from '../../attempt/index.ts'
import type { FirstReachedTimes } from '../tables/first-reached.ts'
import type { RunArtifacts } from './artifacts.ts'
import { argumentHashOf, type Journal, type JournaledCall } from './journal.ts'
import { createQuestionLog, type QuestionLogOptions } from './question-log.ts'
import type { RunControl } from './run-control.ts'

/** What a run's host works with. */
export interface RunHostOptions
  extends AttemptPorts,
    Omit<QuestionLogOptions, 'rows' | 'report'>,
    Pick<Host, 'checkInputs'> {
  readonly actions: readonly Action[]
  readonly artifacts: RunArtifacts
  readonly journal: Journal
  readonly replay: ReplayOrder
  readonly control: RunControl
  /** The results that a resume with changes can reuse. */
  readonly reusable: ReusableResultStore<JournaledCall> | undefined
  readonly plan: Plan
  readonly firstReached: FirstReachedTimes
  readonly questions: QuestionLogOptions['rows']
  readonly inbox: EventInbox
}

/** The host of a run on the embedded engine. What it answers is on disk, and a resumed run gets the same answers. */
export function createEmbeddedHost(options: RunHostOptions): Host {
  const { clock, firstReached, interrupt, replay, control, reusable, artifacts, report } = options
  const index = createPlanIndex(options.plan)
  const actions = new Map([...options.actions, listening].map((action) => [action.name, action]))
  const stopHere = (): void => {
    if (interrupt.reason)
      throw new RunbookError('Interrupted', 'the run was asked to stop', { notSent: true })
  }
  return createRunHost<JournaledCall>({
    attempts: options.journal,
    maker: {
      prepare(request) {
        const action = actions.get(request.action)
        // A step can mark more of its outputs as sensitive than its action does.
        const sensitiveOutput = plannedAction(index, request)?.sensitiveOutput
        if (action)
          return {
            request,
            action: sensitiveOutput === undefined ? action : { ...action, sensitiveOutput },
            safety: safetyOf(action, request.input),
            argumentHash: argumentHashOf(request),
          }
        const { path } = request
        throw new RunbookError('PlanDrift', `there is no action ${request.action} here`, {
          path,
          notSent: true,
        })
      },
      make: (call, context) =>
        makeAttempt(call, artifacts.forCall(stepAddressOfCall(call.request.path)), context, options),
    },
    reusable,
    questions: createQuestionLog({ ...options, rows: options.questions }),
    inbox: options.inbox,
    firstReached,
    replay: {
      waitForReplay: replay.waitForReplay,
      consumed: replay.consumed,
      caughtUp: () => (replay.isOver() ? undefined : replay.afterReplay()),
    },
    control,
    brake: { isStopping: () => interrupt.reason !== undefined, stopHere, check: stopHere },
    // As many calls as the interpreter begins: one process has no parallel limit of its own.
    parallelLimit: { tryEnter: () => true, enter: () => Promise.resolve(true), leave() {} },
    timer: {
      now: clock.now,
      until: (timeMs, cancellation) => clock.waitUntil(timeMs, cancellation, interrupt),
    },
    isResumed: true,
    workingTimes: { countsFrom: firstReached.countsFrom, workedBefore: () => undefined, keep() {} },
    checkInputs: options.checkInputs,
    report,
  })
}

/** The step waits for an event: the run host takes it, and nothing is sent. */
const listening: Action = {
  ...bareAction('core/listen', 'read'),
  checkInput: () => [],
  run: () => Promise.reject(new Error('core/listen is no request')),
}
