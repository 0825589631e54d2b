import type { StepStatus } from '../events.ts'
import { evaluate, kindOf, type Scope } from '../expressions/evaluate.ts'
import type { Host } from '../host.ts'
import type { JsonValue } from '../json.ts'
import type { StepPlan } from '../plan.ts'
import { type ErrorData, endsRun, errorData, RunbookError } from '../run-error.ts'
import { runForEach } from './for-each.ts'
import { runUses } from './uses.ts'

/** What a step came to. */
export interface StepResult {
  readonly status: StepStatus
  readonly attempts: number
  readonly outputs?: JsonValue
  readonly error?: ErrorData
}

/** Runs one step: asks its condition, runs what it stands for, reports how it ended. */
export async function runStep(step: StepPlan, scope: Scope, host: Host): Promise<StepResult> {
  const path = step.id
  const action = actionName(step)
  const failed = (thrown: unknown): StepResult => {
    if (endsRun(thrown)) throw thrown
    return { status: 'failed', attempts: 0, error: { ...errorData(thrown), path } }
  }
  let result: StepResult
  try {
    if (step.if && !isWanted(step, scope)) {
      const skipped: StepResult = { status: 'skipped', attempts: 0 }
      host.report({ type: 'step_finished', path, ...skipped, condition: step.if.source })
      return skipped
    }
    host.report({
      type: 'step_started',
      path,
      action,
      ...(step.name === undefined ? {} : { name: step.name }),
    })
    result = await runBody(step, scope, host)
  } catch (thrown) {
    result = failed(thrown)
  }
  const sensitive = sensitiveFields(step)
  host.report({ type: 'step_finished', path, ...result, ...(sensitive ? { sensitive } : {}) })
  return result
}

function isWanted(step: StepPlan, scope: Scope): boolean {
  const value = step.if ? evaluate(step.if, scope) : true
  if (typeof value === 'boolean') return value
  throw new RunbookError(
    'ExpressionFailed',
    `"if" is ${kindOf(value)}, not true or false: "${step.if?.source}"`,
  )
}

function runBody(step: StepPlan, scope: Scope, host: Host): Promise<StepResult> {
  if (step.kind !== 'uses') throw new RunbookError('InternalDefect', `"${step.kind}" cannot be run yet`)
  return step.forEach
    ? runForEach(step.id, step.forEach, step.uses, scope, host)
    : runUses(step.id, step.uses, scope, host)
}

/** What people see as the action of a step: of a block, what it is. */
export function actionName(step: StepPlan): string {
  return step.kind === 'uses' ? step.uses.action.name : step.kind
}

function sensitiveFields(step: StepPlan): readonly string[] | undefined {
  const fields = step.kind === 'uses' ? step.uses.action.sensitiveOutput : undefined
  return step.forEach ? fields?.map((field) => `items.*.outputs.${field}`) : fields
}
