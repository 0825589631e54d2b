import type { RunEvent } from './events.ts'
import { type CallbackAddresses, callbackTokens } from './hooks/callbacks.ts'
import { createCancellation } from './host/cancellation.ts'
import type { Host } from './host/host.ts'
import { maskHost } from './host/mask-host.ts'
import type { JsonObject } from './json.ts'
import type { Plan } from './plan/plan.ts'
import { actionName, asksForApproval } from './plan/plan-walk.ts'
import { createRunMemory } from './record/run-memory.ts'
import { type ErrorData, errorData, isStop } from './run-error.ts'
import { createApprovals } from './steps/approvals.ts'
import { runDocument } from './steps/document.ts'
import { outputsOf, type StepResult } from './steps/step-result.ts'
import { noClock } from './steps/work-clock.ts'

/** How a run ended. */
export type RunOutcome = Omit<Extract<RunEvent, { readonly type: 'run_finished' }>, 'type'>

/** What a runbook sees of the run it is in, as `run`. */
export interface RunContext {
  readonly id: string
  /** RFC 3339. */
  readonly started_at: string
  /** Random, and known to this run alone: the hashes of approved calls are made with it. @default none */
  readonly sealKey?: string
  /** The address of each callback that a step waits for. Left out: no step does. */
  readonly callbacks?: CallbackAddresses
  /** Its page in the console. Left out: the console has no public address. */
  readonly url?: string
}

/**
 * Walks a plan to its end and says how it ended. Every failure is an outcome, a defect of ours included;
 * nothing is thrown. All that touches the world goes through the host. Events and the outcome hold no sensitive input.
 */
export async function interpret(
  plan: Plan,
  inputs: JsonObject,
  run: RunContext,
  given: Host,
): Promise<RunOutcome> {
  const call: Host['call'] = (request, context) =>
    given.call(request, { ...context, maskError: (error) => maskOutcome({ error }).error })
  const tokens = callbackTokens(run.callbacks)
  const { host, maskOutcome, sensitive } = maskHost({ ...given, call }, plan, inputs, tokens)
  given.report({
    type: 'run_started',
    runbook: plan.name,
    ...(plan.title === undefined ? {} : { title: plan.title }),
    steps: [...plan.steps, ...(plan.finally ?? [])].map((step) => ({
      path: step.id,
      ...(step.name === undefined ? {} : { name: step.name }),
      action: actionName(step),
    })),
    ...(sensitive.length === 0 ? {} : { sensitive }),
  })
  const memory = createRunMemory(host.results?.warnings)
  const cancellation = createCancellation(host.cancellation)
  const { id, started_at, callbacks = {}, url, sealKey = '' } = run
  const facts = { id, name: plan.name, started_at, callbacks, ...(url === undefined ? {} : { url }) }
  const scope = { inputs, run: facts }
  const children = plan.children ?? {}
  const approvals = asksForApproval(plan) ? createApprovals(sealKey) : {}
  const frame = { host, memory, children, path: '', scope, cancellation, clock: noClock, ...approvals }
  const outcome = await runDocument(plan, frame).then(toOutcome, thrownOutcome)
  cancellation.close()
  const whole = maskOutcome({ ...outcome, ...memory.warnings() })
  host.report({ type: 'run_finished', ...whole })
  return whole
}

function toOutcome(result: StepResult): RunOutcome {
  const { status, error } = result
  const outputs = outputsOf(result)
  return {
    status: status === 'skipped' ? 'succeeded' : status,
    ...(outputs === undefined ? {} : { outputs }),
    ...(error === undefined ? {} : { error: withoutEmptyPath(error) }),
  }
}

/** The run itself has no path. */
function withoutEmptyPath({ path, ...error }: ErrorData): ErrorData {
  return path === undefined || path === '' ? error : { ...error, path }
}

function thrownOutcome(thrown: unknown): RunOutcome {
  const error = errorData(thrown)
  if (isStop(error.code)) return { status: 'interrupted', error }
  return { status: error.code === 'OutcomeUnknown' ? 'unknown' : 'failed', error }
}
