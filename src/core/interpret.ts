import type { RunStatus, StepStatus } from './events.ts'
import { render } from './expressions/render.ts'
import type { Host } from './host.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import type { Plan } from './plan.ts'
import { type ErrorData, errorData, isStop } from './run-error.ts'
import { runSequence } from './steps/sequence.ts'
import { actionName } from './steps/step.ts'

/** How a run ended. */
export interface RunOutcome {
  readonly status: RunStatus
  readonly outputs?: JsonObject
  readonly error?: ErrorData
}

/** What a runbook sees of the run it is in, as `run`. */
export interface RunFacts {
  readonly id: string
  /** RFC 3339. */
  readonly started_at: string
}

/**
 * Walks a plan to its end and says how it ended. Every failure is an outcome, a defect of ours included;
 * nothing is thrown. All that touches the world goes through the host.
 */
export async function interpret(
  plan: Plan,
  inputs: JsonObject,
  run: RunFacts,
  host: Host,
): Promise<RunOutcome> {
  host.report({
    type: 'run_started',
    runbook: plan.name,
    ...(plan.title === undefined ? {} : { title: plan.title }),
    steps: plan.steps.map((step) => ({
      path: step.id,
      ...(step.name === undefined ? {} : { name: step.name }),
      action: actionName(step),
    })),
  })
  const outcome = await walk(plan, inputs, run, host).catch((thrown: unknown): RunOutcome => {
    const error = errorData(thrown)
    return { status: thrownStatus(error), error }
  })
  host.report({ type: 'run_finished', ...outcome })
  return outcome
}

async function walk(plan: Plan, inputs: JsonObject, run: RunFacts, host: Host): Promise<RunOutcome> {
  const scope = { inputs, run: { id: run.id, name: plan.name, started_at: run.started_at } }
  const { results, failure } = await runSequence(plan.steps, scope, host)
  if (failure)
    return { status: runStatus(failure.status), ...(failure.error ? { error: failure.error } : {}) }
  const outputs = plan.outputs && render(plan.outputs, { ...scope, steps: results })
  return { status: 'succeeded', ...(isJsonObject(outputs) ? { outputs } : {}) }
}

function runStatus(status: StepStatus): RunStatus {
  return status === 'unknown' || status === 'cancelled' ? status : 'failed'
}

function thrownStatus({ code }: ErrorData): RunStatus {
  if (isStop(code)) return 'interrupted'
  return code === 'OutcomeUnknown' ? 'unknown' : 'failed'
}
