import type { Action } from '../../actions/action.ts'
import type { Host } from '../../core/host.ts'
import { RunbookError } from '../../core/run-error.ts'
import { safetyOf } from '../../core/safety.ts'
import { createStopSignals } from '../attempt/stop-signals.ts'
import type { AskHere } from '../engine.ts'
import { askPerson } from './ask-person.ts'
import type { CommitQueue } from './commit-queue.ts'
import { attemptOnce, type JournaledPorts, stopped } from './journaled-attempt.ts'
import type { Marks } from './marks.ts'
import type { QuestionRows } from './question-rows.ts'

/** What a run's host works with. */
export interface RunHostOptions extends Omit<JournaledPorts, 'stops'>, Pick<Host, 'checkInputs'> {
  readonly actions: readonly Action[]
  readonly queue: CommitQueue
  readonly marks: Marks
  readonly questions: QuestionRows
  readonly askHere: AskHere | undefined
}

/** The embedded engine's side of a run. What it answers is on disk, and answered again when the run is resumed. */
export function createRunHost(options: RunHostOptions): Host {
  const { clock, marks, queue, questions, askHere, interrupt, replay, control } = options
  const ports: JournaledPorts = { ...options, stops: createStopSignals(interrupt) }
  const actions = new Map(options.actions.map((action) => [action.name, action]))
  const stopHere = (): void => {
    if (interrupt.reason) throw stopped()
  }
  return {
    async call(request, context) {
      stopHere()
      const { path } = request
      const action = actions.get(request.action)
      if (action)
        return await attemptOnce({ request, context, action, safety: safetyOf(action, request.input) }, ports)
      throw new RunbookError('PlanDrift', `there is no action ${request.action} here`, {
        path,
        notSent: true,
      })
    },
    async sleepUntil(timeMs, _, cancellation) {
      stopHere()
      if (timeMs <= clock.now()) await replay.waitForTurn(timeMs)
      await clock.waitUntil(timeMs, cancellation, interrupt)
      if (!cancellation.reason) stopHere()
    },
    async ask(question, cancellation) {
      stopHere()
      const asking = { clock, queue, rows: questions, marks, askHere, interrupt, replay }
      const answer = await askPerson(question, marks.reached(question.path), asking, cancellation)
      if (!answer && !cancellation.reason) stopHere()
      return answer
    },
    async firstReachedAt(path) {
      stopHere()
      return marks.reached(path)
    },
    workingTimes: { countsFrom: marks.countsFrom, workedBefore: () => undefined, keep() {} },
    checkInputs: options.checkInputs,
    now: clock.now,
    report: options.report,
    cancellation: control.cancellation,
    abandonment: control.abandonment,
  }
}
