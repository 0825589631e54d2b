import { scheduleLocalActivity } from '@temporalio/workflow'
import type { RunEvent } from '../../../core/events.ts'
import type { CheckedInputs, Host } from '../../../core/host.ts'
import type { Plan } from '../../../core/plan.ts'
import { createPlanIndex } from '../../../core/record/plan-index.ts'
import type { Carried } from '../carried.ts'
import { checkInputsActivity, type InputsOrder, type RunStart } from '../messages.ts'
import { createAlarms } from './alarms.ts'
import type { AmendedCalls } from './amended-calls.ts'
import { answerCall } from './answer-call.ts'
import { createAttemptWaits } from './attempt-waits.ts'
import type { Recorder } from './create-recorder.ts'
import type { Drain } from './drain.ts'
import { createGate } from './gate.ts'
import type { Questions } from './questions.ts'
import type { RunControl } from './run-control.ts'
import { hiddenIn } from './schedule-attempt.ts'
import { createSentCreates } from './sent-creates.ts'
import type { PeopleTeller } from './tell-people.ts'
import { waitUntil } from './wait-until.ts'
import type { WorkflowMemory } from './workflow-memory.ts'

/** What a run's host works with. */
export interface RunHostOptions {
  readonly start: RunStart
  readonly carried: Carried
  readonly recorder: Recorder
  readonly control: RunControl
  readonly questions: Questions
  readonly memory: WorkflowMemory
  readonly drain: Drain
  readonly people: Pick<PeopleTeller, 'learn'>
  readonly amended: AmendedCalls | undefined
}

/** Temporal's side of a run: each attempt is an activity, each wait a timer, each answer an update. */
export function createRunHost(options: RunHostOptions): Host {
  const { start, carried, recorder, control, questions, memory, drain, amended } = options
  // Attempts report here directly, and their events hold the sensitive values.
  const report = (event: RunEvent): void => {
    options.people.learn(event)
    recorder.report(event)
  }
  const alarms = createAlarms(memory)
  const ports = {
    start,
    hidden: hiddenIn(start),
    index: createPlanIndex(start.plan),
    control,
    memory,
    drain,
    gate: createGate(),
    amended,
    waits: createAttemptWaits(alarms, report),
    sent: createSentCreates(),
    report,
  }
  const firstReachedAt = (path: string): number => {
    const known = memory.marks.get(path) ?? Date.now()
    memory.marks.set(path, known)
    return known
  }
  return {
    call: (request, context) => answerCall(request, context, ports),
    async sleepUntil(timeMs, { reason }, cancellation) {
      if (reason === 'timeout') return alarms.until(timeMs, cancellation)
      drain.stopHere()
      if (timeMs <= Date.now()) await memory.replay.waitForTurn(timeMs)
      const isOver = (): boolean => cancellation.reason !== undefined || drain.isBegun()
      await waitUntil(timeMs, isOver)
      if (!cancellation.reason && timeMs > Date.now()) drain.stopHere()
    },
    async ask(question, cancellation) {
      drain.stopHere()
      const answer = await questions.ask(question, firstReachedAt(question.path), cancellation, drain)
      return answer
    },
    async firstReachedAt(path) {
      return firstReachedAt(path)
    },
    workingTimes: {
      countsFrom: () => undefined,
      workedBefore: (path) => (carried.lastSeq === 0 ? undefined : memory.worked.get(path)),
      keep: (path, workedMs) => void memory.worked.set(path, workedMs),
    },
    results: {
      recall: (path) => memory.results.get(path),
      begin: (path) => void memory.results.set(path, 'begun'),
      remember: (path, result) => void memory.results.set(path, result),
      warnings: carried.warnings,
    },
    async checkInputs(child, given, path) {
      const known = memory.inputs.get(path)
      if (known) return known
      await memory.caughtUp
      drain.check()
      const checked = await checkInputs(child, given)
      memory.inputs.set(path, checked)
      return checked
    },
    now: () => Date.now(),
    report,
    cancellation: control.cancellation,
    abandonment: control.abandonment,
  }
}

/** On the worker of the run: a check takes no time, and sends nothing. */
function checkInputs({ name, inputs }: Plan, given: InputsOrder['given']): Promise<CheckedInputs> {
  const order: InputsOrder = { plan: { name, ...(inputs === undefined ? {} : { inputs }) }, given }
  return scheduleLocalActivity<CheckedInputs>(checkInputsActivity, [order], {
    startToCloseTimeout: '1 minute',
    summary: `inputs of ${name}`,
  })
}
