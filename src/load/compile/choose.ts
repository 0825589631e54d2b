import { isJsonObject, type JsonPath, valueAt } from '../../core/json.ts'
import type { ChoicePlan, StepPlan } from '../../core/plan/index.ts'
import { meantKeys } from '../check-kinds.ts'
import { looksLikeStep } from '../check-shape.ts'
import type { BranchKeys, StepKeys } from '../runbook-document.ts'
import { checkBranches } from './check-branches.ts'
import type { CompileContext } from './context.ts'
import { type TypeScope, withCondition, withoutCondition, withPossibleSteps } from './scope.ts'
import { compileCondition } from './template.ts'

/** The compiled branches of a choice. */
export interface CompiledChoose {
  readonly choices: readonly ChoicePlan[]
  /** What the outputs and the `catch` of the step see: any step of any branch may be missing. */
  readonly scope: TypeScope
}

/** Compiles the steps of one branch. A parameter, since a branch holds steps and a step can hold branches. */
type CompileSteps = (
  context: CompileContext,
  steps: readonly (StepKeys | undefined)[],
  path: JsonPath,
  scope: TypeScope,
) => { readonly steps: readonly StepPlan[]; readonly scope: TypeScope }

/** Compiles the branches of a choice. Each knows that the conditions before its own are false. */
export function compileChoose(
  context: CompileContext,
  branches: readonly (BranchKeys | undefined)[],
  path: JsonPath,
  scope: TypeScope,
  compileSteps: CompileSteps,
): CompiledChoose {
  const choices: ChoicePlan[] = []
  const scopes: TypeScope[] = []
  let reached = scope
  for (const [index, branch] of branches.entries()) {
    const at = [...path, index]
    if (!branch) {
      choices.push({ steps: [] })
      continue
    }
    const when = compileCondition(context, branch.when, [...at, 'when'], reached)
    const inner = compileSteps(context, branch.steps ?? [], [...at, 'steps'], withCondition(reached, when))
    choices.push({ ...(when === undefined ? {} : { when }), steps: inner.steps })
    scopes.push(inner.scope)
    reached = withoutCondition(reached, when)
    const isLast = index === branches.length - 1
    if (!isLast || index === 0) checkCondition(context, at, isLast)
  }
  checkBranches(context, choices, path, scope)
  return {
    choices,
    scope: withPossibleSteps(scope, scopes, scopes.length === branches.length && hasOtherwise(branches)),
  }
}

/** Whether one of the branches runs in any case. */
export function hasOtherwise(branches: readonly (BranchKeys | undefined)[]): boolean {
  const last = branches.at(-1)
  return last !== undefined && (last.when === undefined || last.when === true)
}

/** Only the last of several branches does without a condition. One that could not be read is there all the same. */
function checkCondition({ source }: CompileContext, path: JsonPath, isOnly: boolean): void {
  const branch = valueAt(source.value, path)
  if (!isJsonObject(branch) || Object.hasOwn(branch, 'when') || meantKeys('branch', branch).includes('when'))
    return
  // It has been told that this is a step, and no branch.
  if (looksLikeStep(branch)) return
  const message = isOnly
    ? 'the only branch of a choice needs the key "when"'
    : `branch ${String(path.at(-1))} needs the key "when": only the last branch does without`
  const hint = isOnly ? 'steps that always run are a block: steps: […]' : undefined
  source.add('MISSING_KEY', path, message, hint)
}
