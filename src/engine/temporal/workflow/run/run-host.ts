import { condition, scheduleLocalActivity } from '@temporalio/workflow'
import { shortError } from '../../../../core/calls/index.ts'
import type { RunEvent } from '../../../../core/events.ts'
import {
  type CheckedChildInputs,
  createRunHost,
  type Host,
  type ParallelLimit,
  type PreparedCall,
} from '../../../../core/host/index.ts'
import type { Plan } from '../../../../core/plan/index.ts'
import { createPlanIndex, plannedAction } from '../../../../core/record/index.ts'
import type { ContinuedAttempt, ContinuedState } from '../../continued-state.ts'
import { checkInputsActivity, type InputsOrder } from '../../messages.ts'
import { createDeadlines, waitUntilTimer } from '../timers.ts'
import { createAttemptSignals } from './attempt-signals.ts'
import { createAttemptMaker } from './make-attempt.ts'
import type { RunParts } from './run-parts.ts'
import type { WorkflowMemory } from './workflow-memory.ts'

/** Temporal's side of a run: each attempt is an activity, each wait a timer, each answer an update. */
export function createWorkflowHost(options: RunParts): Host {
  const { start, continued, recorder, control, questions, inbox, memory, drain, changed } = options
  const { replay } = memory
  // Attempts report here directly: their events hold sensitive values.
  const report = (event: RunEvent): void => {
    options.notifier.learn(event)
    if (event.type === 'inputs_hidden') for (const value of event.sensitive) memory.sensitiveInputs.add(value)
    recorder.report(event)
  }
  const keep = (
    { request: { path, attempt, action } }: PreparedCall,
    { attempted, requestId }: Pick<ContinuedAttempt, 'attempted' | 'requestId'>,
  ): undefined => {
    // The whole error of an attempt is in the history.
    const kept =
      attempted.status === 'failed' ? { ...attempted, error: shortError(attempted.error) } : attempted
    memory.keep({ path, attempt, action, attempted: kept, requestId })
  }
  const index = createPlanIndex(start.plan)
  const deadlines = createDeadlines(memory)
  return createRunHost({
    attempts: {
      find: ({ request: { path, attempt } }) => memory.find(path, attempt),
      begin: () => undefined,
      finish: (call, { requestId }, attempted) => keep(call, { attempted, requestId }),
      takeOver: keep,
      withdraw: () => undefined,
    },
    maker: {
      prepare(request) {
        const action = plannedAction(index, request)
        return { request, action, safety: action?.safety ?? 'idempotent' }
      },
      make: createAttemptMaker({
        start,
        index,
        drain,
        signals: createAttemptSignals(deadlines, report),
        childInputs: memory.sensitiveInputs,
        report,
      }),
    },
    reusable: changed,
    questions,
    inbox,
    firstReached: reachedTimes(memory.firstReached),
    replay: {
      waitForReplay: replay.waitForReplay,
      consumed: replay.consumed,
      caughtUp: () => (memory.isCaughtUp() ? undefined : memory.caughtUp),
    },
    control,
    brake: { isStopping: drain.isBegun, stopHere: drain.stopHere, check: drain.check },
    parallelLimit: createParallelLimit(),
    timer: {
      now: () => Date.now(),
      until: (timeMs, cancellation) =>
        waitUntilTimer(timeMs, () => cancellation.reason !== undefined || drain.isBegun()),
      atLimit: deadlines.until,
    },
    isResumed: continued.isResumed === true,
    ...remembering(memory, continued),
    sensitive: memory.sensitiveInputs,
    checkInputs: (child, given, path) => checkOnce(options, child, given, path),
    report,
  })
}

function reachedTimes(times: Map<string, number>): {
  reached(path: string): number
  reachedAnew(path: string): number
} {
  const reachedAnew = (path: string): number => {
    times.set(path, Date.now())
    return Date.now()
  }
  return { reached: (path) => times.get(path) ?? reachedAnew(path), reachedAnew }
}

/** What steps and items have come to, and how long they worked. */
function remembering(
  memory: WorkflowMemory,
  continued: ContinuedState,
): Pick<Host, 'workingTimes' | 'results'> {
  return {
    workingTimes: {
      countsFrom: () => undefined,
      workedBefore: (path) => (continued.lastSeq === 0 ? undefined : memory.worked.get(path)),
      keep: (path, workedMs) => void memory.worked.set(path, workedMs),
    },
    results: {
      recall: (path) => memory.results.get(path),
      begin: (path) => void memory.results.set(path, 'begun'),
      remember: (path, result) => void memory.results.set(path, result),
      warnings: continued.warnings,
    },
  }
}

/** Checks the inputs of a step once: a later execution has the answer. */
async function checkOnce(
  { memory, drain }: RunParts,
  ...[child, given, path]: Parameters<Host['checkInputs']>
): Promise<CheckedChildInputs> {
  const known = memory.inputs.get(path)
  if (known) return known
  await memory.caughtUp
  drain.check()
  const checked = await checkInputs(child, given)
  memory.inputs.set(path, checked)
  return checked
}

/** A local activity on the worker of the run: a check sends no request. */
function checkInputs({ name, inputs }: Plan, given: InputsOrder['given']): Promise<CheckedChildInputs> {
  const order: InputsOrder = { plan: { name, ...(inputs === undefined ? {} : { inputs }) }, given }
  return scheduleLocalActivity<CheckedChildInputs>(checkInputsActivity, [order], {
    startToCloseTimeout: '1 minute',
    summary: `inputs of ${name}`,
  })
}

/** The server refuses a workflow with 2,000 pending activities, and becomes slow before that. */
const maxParallel = 500

function createParallelLimit(): ParallelLimit {
  let inside = 0
  const tryEnter = (): boolean => {
    if (inside >= maxParallel) return false
    inside++
    return true
  }
  return {
    tryEnter,
    async enter(isOver) {
      for (;;) {
        if (isOver()) return false
        if (tryEnter()) return true
        await condition(() => inside < maxParallel || isOver())
      }
    },
    leave: () => void inside--,
  }
}
