import { setTimeout as sleep } from 'node:timers/promises'
import type { Action, Artifacts } from '../../actions/action.ts'
import type { Client } from '../../api/index.ts'
import type { AttemptResult } from '../../core/attempts.ts'
import { createCancellation } from '../../core/cancellation.ts'
import type { RunEvent } from '../../core/events.ts'
import type { Attempted, CallRequest, Host } from '../../core/host.ts'
import { errorData, isUnclear, RunbookError } from '../../core/run-error.ts'
import { createActionLog } from './action-log.ts'
import { canonicalHash } from './canonical-hash.ts'
import type { AttemptIntent, Journal } from './journal.ts'

/** What a run's host works with. */
export interface RunHostOptions {
  readonly actions: readonly Action[]
  readonly client: Client
  readonly artifacts: Artifacts
  readonly journal: Journal
  readonly report: (event: RunEvent) => void
  /** Ends the run at the next safe point: nothing new is begun, reads in flight are given up. */
  readonly interrupt: AbortSignal
}

/** The embedded engine's side of a run: each attempt is journaled before and after it is made. */
export function createRunHost(options: RunHostOptions): Host {
  const { journal, report, interrupt } = options
  const actions = new Map(options.actions.map((action) => [action.name, action]))

  const make = async (
    action: Action,
    request: CallRequest,
    intent: AttemptIntent,
  ): Promise<AttemptResult> => {
    journal.begin(intent, Date.now())
    report({ type: 'attempt_started', path: request.path, attempt: request.attempt, action: action.name })
    const answered = await callOnce(action, request, options)
    record(journal, action, intent, answered)
    const { result } = answered
    if (result.status === 'succeeded') report(succeeded(request, answered))
    // Recorded as not sent, or as a read that can be made again: the run stops here.
    else if (interrupt.aborted && result.error.code === 'Cancelled') throw interrupted()
    return result
  }

  return {
    async call(request) {
      if (interrupt.aborted) throw interrupted()
      const { path, attempt } = request
      const action = actions.get(request.action)
      if (!action) throw new RunbookError('InternalDefect', `no action ${request.action}`, { path })
      const argumentHash = canonicalHash({ input: request.input, save_as: request.saveAs ?? null })
      const intent: AttemptIntent = { path, attempt, action: action.name, argumentHash }
      const startedAtMs = Date.now()
      const known = journal.find(intent)
      if (known?.status === 'succeeded') {
        report({ type: 'attempt_succeeded', path, attempt, from_journal: true })
      }
      const result = known ?? (await make(action, request, intent))
      return { ...result, startedAtMs, endedAtMs: Date.now() } satisfies Attempted
    },
    sleepUntil: (timeMs) => sleepUntil(timeMs, interrupt),
    ask: () => Promise.reject(new RunbookError('InvalidInput', 'nobody can be asked yet')),
    reached: () => Promise.resolve(Date.now()),
    checkInputs: (_, inputs) => ({ inputs, problems: [] }),
    now: () => Date.now(),
    report,
    cancellation: createCancellation(),
    abandonment: createCancellation(),
  }
}

function interrupted(): RunbookError {
  return new RunbookError('Interrupted', 'the run was asked to stop', { notSent: true })
}

/** Timers of Node cannot hold more. */
const longestSleepMs = 2 ** 31 - 1

async function sleepUntil(timeMs: number, interrupt: AbortSignal): Promise<void> {
  while (!interrupt.aborted) {
    const restMs = timeMs - Date.now()
    if (restMs <= 0) return
    await sleep(Math.min(restMs, longestSleepMs), undefined, { signal: interrupt }).catch(() => {})
  }
  throw interrupted()
}

/**
 * Puts the outcome of an attempt on disk. Where that fails after something was, or may have been, done, the run
 * ends as an unknown outcome that holds all that is known of it: no later run may take the step for undone.
 */
function record(
  journal: Journal,
  action: Action,
  intent: AttemptIntent,
  { result, requestId }: Answered,
): void {
  try {
    journal.finish(intent, result, requestId, Date.now())
  } catch (cause) {
    const isDone = result.status === 'succeeded' || isUnclear(result.error)
    if (action.safety === 'read' || !isDone) throw cause
    const known = result.status === 'succeeded' ? { output: result.output } : { error: result.error.message }
    const message = `${action.name} was sent and its outcome could not be recorded: ${(cause as Error).message}`
    throw new RunbookError('OutcomeUnknown', message, {
      path: intent.path,
      details: known,
      cause,
      endsRun: true,
      ...(requestId === undefined ? {} : { requestId }),
    })
  }
}

function succeeded({ path, attempt }: CallRequest, { requestId, warnings }: Answered): RunEvent {
  return {
    type: 'attempt_succeeded',
    path,
    attempt,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(warnings === undefined || warnings.length === 0 ? {} : { warnings }),
  }
}

interface Answered {
  readonly result: AttemptResult
  readonly requestId?: string
  readonly warnings?: readonly string[]
}

/** A write that is on its way is awaited, whatever happens. */
const neverAborted = new AbortController().signal

/** One attempt, its failure as data. A write in flight is awaited when the run is interrupted; a read is given up. */
async function callOnce(action: Action, request: CallRequest, options: RunHostOptions): Promise<Answered> {
  const { client, artifacts, interrupt, report } = options
  const { path, attempt, input, saveAs, attemptTimeoutMs } = request
  try {
    const problems = action.checkInput(input)
    if (problems.length > 0) throw invalidInput(action.name, path, problems)
    const answer = await action.run(input, {
      client,
      artifacts,
      attempt,
      signal: action.safety === 'read' ? interrupt : neverAborted,
      signalBeforeSending: interrupt,
      ...(saveAs === undefined ? {} : { saveAs }),
      ...(attemptTimeoutMs === undefined ? {} : { timeoutMs: attemptTimeoutMs }),
      onWait: ({ reason, untilMs }) =>
        report({ type: 'waiting', path, reason, ...(untilMs === undefined ? {} : { until: untilMs }) }),
      log: createActionLog(path, attempt, report),
    })
    const { output, requestId, warnings } = answer
    return {
      result: { status: 'succeeded', output },
      ...(requestId === undefined ? {} : { requestId }),
      ...(warnings === undefined ? {} : { warnings }),
    }
  } catch (thrown) {
    const error = { ...errorData(thrown), path }
    return {
      result: { status: 'failed', error },
      ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
    }
  }
}

/** All problems of an input in one error. */
function invalidInput(
  action: string,
  path: string,
  problems: readonly { readonly path: string; readonly message: string }[],
): RunbookError {
  const list = problems.map((problem) =>
    problem.path === '' ? problem.message : `${problem.path} ${problem.message}`,
  )
  return new RunbookError('InvalidInput', `${action}: ${list.join('; ')}; nothing was sent`, {
    path,
    notSent: true,
    details: { problems: problems.map(({ path: at, message }) => ({ path: at, message })) },
  })
}
