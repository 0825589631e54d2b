import { checkCoreInput } from '../core-steps/check-core-input.ts'
import { coreSteps } from '../core-steps/index.ts'
import { kindOf } from '../expressions/evaluate.ts'
import { render } from '../expressions/render.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { UsesPlan } from '../plan.ts'
import { RunbookError } from '../run-error.ts'
import { callOnce } from './call.ts'
import { checkExpectations } from './expect.ts'
import type { Frame } from './frame.ts'
import { callUntil } from './repeat.ts'
import type { StepResult } from './step-result.ts'

/** Calls the action of a step, as often as its policies say. `path` is that of the step or of its item. */
export async function runUses(path: string, uses: UsesPlan, frame: Frame): Promise<StepResult> {
  const input = readInput(uses, frame)
  const result = await carryOut(path, uses, input, frame)
  return checkExpectations(uses.expect, result, frame, path)
}

function carryOut(path: string, uses: UsesPlan, input: JsonObject, frame: Frame): Promise<StepResult> {
  const own = coreSteps[uses.action.name]
  if (own) {
    checkCoreInput(uses.action.name, input)
    return own({ path, uses, input, frame })
  }
  const call = (callPath: string): ReturnType<typeof callOnce> => callOnce(path, callPath, uses, input, frame)
  return uses.repeat ? callUntil(path, uses.repeat, call, frame) : call(path)
}

function readInput(uses: UsesPlan, { scope }: Frame): JsonObject {
  const input = render(uses.with, scope)
  if (isJsonObject(input)) return input
  throw new RunbookError('ExpressionFailed', `"with" is ${kindOf(input)}, not a map`)
}
