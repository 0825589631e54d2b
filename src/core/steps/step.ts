import { evaluate, kindOf } from '../expressions/evaluate.ts'
import { lookUp } from '../forecast/look-up.ts'
import { formatReference, referencesIn } from '../forecast/references.ts'
import type { RememberedResult } from '../host/ports.ts'
import type { JsonObject } from '../json.ts'
import { jsonSize } from '../json-size.ts'
import type { StepPlan } from '../plan.ts'
import { errorData, RunbookError } from '../run-error.ts'
import { outputTooLarge } from '../run-memory.ts'
import { cleanUpBlock } from './block.ts'
import { runCatch } from './catch.ts'
import { catchPath } from './catch-path.ts'
import { runForEach } from './for-each.ts'
import { type Frame, pathIn } from './frame.ts'
import { runOnce } from './once.ts'
import { caughtResult, type StepResult, withoutUnread } from './step-result.ts'

/** Runs one step: asks its condition, runs what it stands for, catches its failure, reports how it ended. */
export async function runStep(step: StepPlan, frame: Frame): Promise<StepResult> {
  const path = pathIn(frame, step.id)
  const { host } = frame
  const recalled = host.results?.recall(path)
  if (recalled && recalled !== 'begun') return takeAgain(step, frame, recalled)
  let result: StepResult
  try {
    if (step.if && !isWanted(step, frame)) {
      const values = valuesRead(step, frame)
      const skipped: StepResult = { status: 'skipped', attempts: 0 }
      host.report({ type: 'step_finished', path, ...skipped, condition: step.if.source, values })
      host.results?.remember(path, skipped)
      return skipped
    }
    host.report({
      type: 'step_started',
      path,
      action: actionName(step),
      ...(step.name === undefined ? {} : { name: step.name }),
    })
    result = step.forEach
      ? await runForEach(step, step.forEach, frame, path)
      : await runOnce(step, frame, path)
  } catch (thrown) {
    result = caughtResult(thrown, frame, path)
  }
  const whole = keep(step, frame, result, path)
  const caught = await runCatch(step.catch, whole, { ...frame, path: catchPath(step, path) }, step.id)
  const isOneBlock = step.kind === 'block' && !step.forEach
  const ended = isOneBlock ? await cleanUpBlock(step, caught, { ...frame, path }) : caught
  if (ended.outputs === undefined && step.isRead && whole.outputs !== undefined)
    frame.memory.release(jsonSize(whole.outputs))
  const told = report(step, frame, ended, path, caught === whole ? undefined : whole)
  host.results?.remember(path, withoutUnread(told, step.isRead))
  return told
}

/** What later steps see of a step that had ended, in the state of the run again. */
function takeAgain(step: StepPlan, { memory }: Frame, result: RememberedResult): StepResult {
  if (step.isRead && result.outputs !== undefined) memory.keep(jsonSize(result.outputs))
  return result
}

function isWanted(step: StepPlan, { scope }: Frame): boolean {
  const value = step.if ? evaluate(step.if, scope) : true
  if (typeof value === 'boolean') return value
  throw new RunbookError(
    'ExpressionFailed',
    `"if" is ${kindOf(value)}, not true or false: "${step.if?.source}"`,
  )
}

/** The single values that a condition read, for people to see why a step was skipped. */
function valuesRead(step: StepPlan, { scope }: Frame): JsonObject {
  const references = step.if ? referencesIn(step.if.tree) : []
  return Object.fromEntries(
    references.flatMap((reference) => {
      const value = lookUp(reference, scope)
      const isSingle = value !== undefined && (typeof value !== 'object' || value === null)
      return isSingle ? [[formatReference(reference), value] as const] : []
    }),
  )
}

/** Takes the outputs into the state of the run where something reads them; outputs without room are a failure. */
function keep(step: StepPlan, frame: Frame, result: StepResult, path: string): StepResult {
  const { outputs, ...rest } = result
  if (outputs === undefined) return result
  const bytes = jsonSize(outputs)
  try {
    const problem = outputTooLarge(bytes)
    if (problem) throw problem
    if (step.isRead) frame.memory.keep(bytes)
    return result
  } catch (thrown) {
    if (result.status !== 'succeeded') return rest
    return { ...rest, status: 'failed', error: { ...errorData(thrown), path } }
  }
}

function report(
  step: StepPlan,
  { host, memory }: Frame,
  result: StepResult,
  path: string,
  replaced: StepResult | undefined,
): StepResult {
  const isWarning = step.continueOnError === true && result.status === 'failed'
  const { status, attempts, outputs, error } = result
  if (isWarning && error) memory.warn(error)
  host.report({
    type: 'step_finished',
    path,
    status,
    attempts,
    ...(outputs === undefined ? {} : { outputs }),
    ...(error === undefined ? {} : { error }),
    ...(isWarning ? { is_warning: true } : {}),
    ...(replaced?.error === undefined || status !== 'succeeded' ? {} : { caught: replaced.error }),
  })
  return isWarning ? { ...result, isWarning } : result
}

/** What people see as the action of a step: of a block, what it is. */
export function actionName(step: StepPlan): string {
  return step.kind === 'uses' ? step.uses.action.name : step.kind
}
