import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Action,
  type ActionContext,
  type Clock,
  type JsonObject,
  RunbookError,
  type TimedRunEvent,
} from 'opsbook'
import { writeAction, writeArtifact } from '../../../src/actions/write.ts'
import { refuseProblems } from '../../../src/api/validation/index.ts'
import { safetyOf } from '../../../src/core/action.ts'
import type { CallRequest } from '../../../src/core/host/host.ts'
import type { RunCase } from '../../conformance/run-case.ts'
import { answerTo } from '../../conformance/script.ts'
import { type TestAction, testActions } from '../../conformance/test-actions.ts'

/** Actions that give the answers of a case at its times. */
export interface ScriptedActions {
  readonly actions: readonly Action[]
  /** Every request that went out. */
  readonly sent: CallRequest[]
  /** Receives every event, since an action does not know for which call it runs. */
  take(event: TimedRunEvent): void
  /** Makes a call, for those who know which. */
  during<T>(call: Pick<CallRequest, 'path' | 'attempt'>, make: () => T): T
}

/** One for all: each makes every promise of the process slower, for as long as it is used. */
const current = new AsyncLocalStorage<Pick<CallRequest, 'path' | 'attempt'>>()

export function createScriptedActions(
  runCase: RunCase,
  clock: Clock,
  onSent: (request: CallRequest) => void,
): ScriptedActions {
  const sent: CallRequest[] = []

  const run = async (action: TestAction, input: JsonObject, context: ActionContext) => {
    refuseProblems(action.name, action.checkInput(input))
    const call = current.getStore()
    if (!call) throw new Error('an action runs that no attempt was started for')
    const { saveAs, timeoutMs = action.defaultTimeoutMs } = context
    const { path, attempt } = call
    const request = { path, attempt, action: action.name, input, ...(saveAs === undefined ? {} : { saveAs }) }
    const { result, waitsMs, takesMs } = answerTo(runCase, request)
    if (waitsMs > 0) await waitForBudget(clock, waitsMs, context)
    if (safetyOf(action, input) === 'create') await context.beforeSending()
    if (context.signalBeforeSending.aborted) throw givenUp(true)
    sent.push(request)
    onSent(request)
    await clock.waitUntil(clock.now() + Math.min(takesMs, timeoutMs), stopOf(context.signal))
    if (context.signal.aborted) throw givenUp(false)
    if (takesMs > timeoutMs) throw new RunbookError('AttemptTimeout', `no answer within ${timeoutMs} ms`)
    if (result.status === 'failed') {
      const { code, message, ...more } = result.error
      throw new RunbookError(code, message, more)
    }
    if (action.savesFile !== 'always' || saveAs === undefined) return { output: result.output }
    return { output: { ...(await writeArtifact(context.artifacts, saveAs, 'exported')) } }
  }
  const scripted = testActions
    .filter(({ name }) => name !== writeAction.name)
    .map((action): Action => ({ ...action, run: (input, context) => run(action, input, context) }))
  return {
    actions: [...scripted, writeAction],
    sent,
    take(event) {
      if (event.type === 'attempt_started') current.enterWith(event)
    },
    during: (call, make) => current.run(call, make),
  }
}

async function waitForBudget(
  clock: Clock,
  waitsMs: number,
  { onWait, onWaitOver, signalBeforeSending }: ActionContext,
): Promise<void> {
  const untilMs = clock.now() + waitsMs
  onWait({ reason: 'budget', untilMs })
  await clock.waitUntil(untilMs, stopOf(signalBeforeSending))
  onWaitOver()
}

type Stop = Parameters<Clock['waitUntil']>[1]

function stopOf(signal: AbortSignal): Stop {
  return {
    get reason() {
      return signal.aborted ? { code: 'Cancelled', message: 'given up' } : undefined
    },
    onCancel(listener) {
      if (signal.aborted) listener()
      signal.addEventListener('abort', listener, { once: true })
      return () => signal.removeEventListener('abort', listener)
    },
  }
}

function givenUp(notSent: boolean): RunbookError {
  return new RunbookError('Cancelled', 'given up', { notSent })
}
