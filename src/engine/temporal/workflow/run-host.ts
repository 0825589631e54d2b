import { scheduleActivity } from '@temporalio/workflow'
import type { CheckedInputs, Host } from '../../../core/host.ts'
import { createPlanIndex } from '../../../core/record/plan-index.ts'
import { checkInputsActivity, type InputsOrder, type RunStart } from '../messages.ts'
import { createAlarms } from './alarms.ts'
import type { Recorder } from './create-recorder.ts'
import { makeAttempt } from './make-attempt.ts'
import type { Questions } from './questions.ts'
import type { RunControl } from './run-control.ts'
import { waitUntil } from './wait-until.ts'

/** What a run's host works with. */
export interface RunHostOptions {
  readonly start: RunStart
  readonly recorder: Recorder
  readonly control: RunControl
  readonly questions: Questions
}

/** Temporal's side of a run: each attempt is an activity, each wait a timer, each answer an update. */
export function createRunHost({ start, recorder, control, questions }: RunHostOptions): Host {
  const alarms = createAlarms()
  const marks = new Map<string, number>()
  const index = createPlanIndex(start.plan)
  const reached = (path: string): number => {
    const known = marks.get(path) ?? Date.now()
    marks.set(path, known)
    return known
  }
  return {
    call: (request, context) =>
      makeAttempt(request, context, { start, index, control, report: recorder.report }),
    sleepUntil(timeMs, { reason }, cancellation) {
      if (reason === 'timeout') return alarms.until(timeMs, cancellation)
      return waitUntil(timeMs, () => cancellation.reason !== undefined)
    },
    ask: (question, cancellation) => questions.ask(question, reached(question.path), cancellation),
    async reached(path) {
      return reached(path)
    },
    countsFrom: () => undefined,
    checkInputs: ({ name, inputs }, given) =>
      checkInputs({ plan: { name, ...(inputs === undefined ? {} : { inputs }) }, given }, start),
    now: () => Date.now(),
    report: recorder.report,
    cancellation: control.cancellation,
    abandonment: control.abandonment,
  }
}

function checkInputs(order: InputsOrder, { actionQueue }: RunStart): Promise<CheckedInputs> {
  return scheduleActivity<CheckedInputs>(checkInputsActivity, [order], {
    taskQueue: actionQueue,
    startToCloseTimeout: '1 minute',
    summary: `inputs of ${order.plan.name}`,
  })
}
