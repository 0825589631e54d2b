import { valuesRead } from '../expressions/references.ts'
import type { Expression } from '../expressions/tree.ts'
import type { RememberedResult } from '../host/host.ts'
import { jsonSize, withoutUndefined } from '../json.ts'
import type { StepPlan } from '../plan/plan.ts'
import { actionName } from '../plan/plan-walk.ts'
import { catchPath } from '../plan/step-address.ts'
import { outputTooLarge } from '../record/run-memory.ts'
import { errorData } from '../run-error.ts'
import { setPermit } from './approvals.ts'
import { runCatch } from './catch.ts'
import { chosenBranch, conditionsOf } from './choose.ts'
import { holds } from './condition.ts'
import { runForEach } from './for-each.ts'
import { type Frame, pathIn } from './frame.ts'
import { cleanUpBlock, runOnce } from './once.ts'
import { bytesRead, caughtResult, type StepResult, withoutUnread } from './step-result.ts'

/** Runs one step: asks its condition, runs what it stands for, catches its failure, reports how it ended. */
export async function runStep(step: StepPlan, frame: Frame): Promise<StepResult> {
  const path = pathIn(frame, step.id)
  const { host } = frame
  const recalled = host.results?.recall(path)
  if (recalled && recalled !== 'begun') return takeAgain(step, frame, recalled)
  const permitBefore = frame.approvals?.permit
  let result: StepResult
  try {
    const unmet = unmetConditions(step, frame)
    if (unmet) {
      const skipped: StepResult = { status: 'skipped', attempts: 0 }
      const values = Object.assign({}, ...unmet.map((condition) => valuesRead(condition, frame.scope)))
      host.report({ type: 'step_finished', path, ...skipped, condition: anyOf(unmet), values })
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
  if (ended.outputs === undefined) frame.memory.release(bytesRead(whole, step))
  const reported = report(step, frame, ended, path, caught === whole ? undefined : whole)
  const permit = frame.approvals?.permit
  host.results?.remember(path, {
    ...withoutUnread(reported, step),
    ...(permit === permitBefore ? {} : { permit }),
  })
  return reported
}

/** What later steps see of a step that had ended, in the state of the run again. */
function takeAgain(step: StepPlan, frame: Frame, result: RememberedResult): StepResult {
  const { memory } = frame
  setPermit(frame, result.permit)
  memory.keep(bytesRead(result, step))
  return result
}

/** The conditions for which the step is skipped, since all of them are false: its `if`, or those of its branches. */
function unmetConditions(step: StepPlan, { scope }: Frame): readonly Expression[] | undefined {
  if (step.if && !holds(step.if, 'if', scope)) return [step.if]
  // Each item of a loop has a branch of its own.
  if (step.kind !== 'choose' || step.forEach) return undefined
  return chosenBranch(step, scope) === undefined ? conditionsOf(step) : undefined
}

function anyOf(conditions: readonly Expression[]): string {
  const [only] = conditions
  return conditions.length === 1 && only
    ? only.source
    : conditions.map(({ source }) => `(${source})`).join(' || ')
}

/** Keeps the outputs in the state of the run where a step reads them; outputs over the limit are a failure. */
function keep(step: StepPlan, frame: Frame, result: StepResult, path: string): StepResult {
  const { outputs, ...rest } = result
  if (outputs === undefined) return result
  try {
    const problem = outputTooLarge(jsonSize(outputs))
    if (problem) throw problem
    frame.memory.keep(bytesRead(result, step))
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
  const { status, attempts, branch, outputs, error, failedItems } = result
  if (isWarning && error) memory.warn(error)
  if (status === 'succeeded' && failedItems) memory.tolerate(path, failedItems)
  host.report({
    type: 'step_finished',
    path,
    status,
    attempts,
    ...withoutUndefined({ branch, outputs, error }),
    ...(isWarning ? { is_warning: true } : {}),
    ...(replaced?.error === undefined || status !== 'succeeded' ? {} : { caught: replaced.error }),
    ...(failedItems ? { failed_items: failedItems } : {}),
  })
  return isWarning ? { ...result, isWarning } : result
}
