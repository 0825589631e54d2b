import type { Expression } from '../../core/expressions/tree.ts'
import { mapOf, numberType, type ValueType } from '../../core/expressions/value-type.ts'
import type { CatchPlan, ForEachPlan, StepPlan } from '../../core/plan.ts'
import { checkErrorCodes } from '../check-error-codes.ts'
import type { JsonPath } from '../json-path.ts'
import type { CatchKeys, ForEachKeys, StepKeys } from '../runbook-document.ts'
import { checkId } from './check-id.ts'
import type { CompileContext } from './context.ts'
import { milliseconds, tolerance } from './policies.ts'
import {
  errorType,
  loopOutputs,
  type Scope,
  type VisibleStep,
  withAbsentSteps,
  withCondition,
  withNames,
  withStep,
} from './scope.ts'
import { compileCondition, compileTemplate } from './template.ts'
import { compileUses } from './uses.ts'

/** Steps of one block, and the scope after the last of them. */
export interface CompiledSteps {
  readonly steps: readonly StepPlan[]
  readonly scope: Scope
}

/** Compiles steps that run one after another: each sees those before it. */
export function compileSteps(
  context: CompileContext,
  steps: readonly StepKeys[],
  path: JsonPath,
  scope: Scope,
): CompiledSteps {
  let visible = scope
  const plans: StepPlan[] = []
  for (const [index, step] of steps.entries()) {
    const stepPath = [...path, index]
    checkId(context, step.id, [...stepPath, 'id'])
    const compiled = compileStep(context, step, stepPath, visible)
    if (compiled.plan) plans.push(compiled.plan)
    visible = withStep(visible, step.id, compiled.visible)
  }
  return { steps: plans, scope: visible }
}

interface CompiledStep {
  readonly plan?: StepPlan
  readonly visible: VisibleStep
}

function compileStep(context: CompileContext, step: StepKeys, path: JsonPath, scope: Scope): CompiledStep {
  const { source } = context
  const condition =
    step.if === undefined ? undefined : compileCondition(source, step.if, [...path, 'if'], scope)
  const sure = withCondition(scope, condition)
  const loop = step['for-each'] && compileForEach(context, step['for-each'], [...path, 'for-each'], sure)
  const inner = loop?.scope ?? sure
  const body = compileBody(context, step, path, inner)
  const ownOutputs =
    step.outputs === undefined
      ? undefined
      : compileTemplate(
          source,
          step.outputs,
          [...path, 'outputs'],
          withNames(body.scope, { outputs: body.outputs }),
        )
  const caught = compileCatch(context, step.catch, [...path, 'catch'], scope, body.scope)
  const outputs = ownOutputs?.type ?? body.outputs
  const visible = visibleStep(step, condition, loop ? loopOutputs(outputs) : outputs)
  if (!body.plan) return { visible }
  return {
    visible,
    plan: {
      ...body.plan,
      id: step.id,
      ...(step.name === undefined ? {} : { name: step.name }),
      ...(step.description === undefined ? {} : { description: step.description }),
      ...(condition === undefined ? {} : { if: condition }),
      ...(loop === undefined ? {} : { forEach: loop.plan }),
      ...(step.timeout === undefined ? {} : { timeoutMs: milliseconds(step.timeout, 0) }),
      ...(step['continue-on-error'] === true ? { continueOnError: true } : {}),
      ...(caught === undefined ? {} : { catch: caught }),
      ...(ownOutputs === undefined ? {} : { outputs: ownOutputs.template }),
      isRead: true,
    },
  }
}

/** What later steps can count on. */
function visibleStep(step: StepKeys, condition: Expression | undefined, outputs: ValueType): VisibleStep {
  const because =
    step.if !== undefined && step.if !== true
      ? 'the step is skipped when its condition is false'
      : step.catch !== undefined
        ? 'the step has no outputs when its failure is caught'
        : step['continue-on-error'] === true
          ? 'the step may have failed'
          : undefined
  return {
    outputs,
    ...(condition === undefined ? {} : { condition: condition.source }),
    ...(because === undefined ? {} : { because }),
  }
}

type OwnKeys = 'kind' | 'uses' | 'steps' | 'finally' | 'branches' | 'maxParallel' | 'onBranchError'
type BodyPlan = StepPlan extends infer Plan
  ? Plan extends StepPlan
    ? Pick<Plan, Extract<keyof Plan, OwnKeys>>
    : never
  : never

interface CompiledBody {
  readonly plan?: BodyPlan
  readonly outputs: ValueType
  /** What the step's own `outputs` and `catch` see. */
  readonly scope: Scope
}

function compileBody(context: CompileContext, step: StepKeys, path: JsonPath, scope: Scope): CompiledBody {
  if (step.steps) return compileBlock(context, step, step.steps, path, scope)
  if (step.parallel) return compileParallel(context, step, step.parallel, path, scope)
  const { uses, outputs } = compileUses(context, step, path, scope)
  return { ...(uses === undefined ? {} : { plan: { kind: 'uses', uses } }), outputs, scope }
}

function compileBlock(
  context: CompileContext,
  step: StepKeys,
  steps: readonly StepKeys[],
  path: JsonPath,
  scope: Scope,
): CompiledBody {
  const inner = compileSteps(context, steps, [...path, 'steps'], scope)
  const cleanUp =
    step.finally &&
    compileSteps(context, step.finally, [...path, 'finally'], withAbsentSteps(scope, inner.scope))
  return {
    plan: { kind: 'block', steps: inner.steps, ...(cleanUp === undefined ? {} : { finally: cleanUp.steps }) },
    outputs: mapOf({}),
    scope: inner.scope,
  }
}

/** Branches see what is around them, and not each other. */
function compileParallel(
  context: CompileContext,
  step: StepKeys,
  branches: readonly StepKeys[],
  path: JsonPath,
  scope: Scope,
): CompiledBody {
  let after = scope
  const plans: StepPlan[] = []
  for (const [index, branch] of branches.entries()) {
    const branchPath = [...path, 'parallel', index]
    checkId(context, branch.id, [...branchPath, 'id'])
    const compiled = compileStep(context, branch, branchPath, scope)
    if (compiled.plan) plans.push(compiled.plan)
    after = withStep(after, branch.id, compiled.visible)
  }
  const most = step['max-parallel']
  return {
    plan: {
      kind: 'parallel',
      branches: plans,
      ...(most === undefined ? {} : { maxParallel: most }),
      onBranchError: step['on-branch-error'] ?? 'wait-all',
    },
    outputs: mapOf({}),
    scope: after,
  }
}

/** `catch` sees the steps of its block, each of which may never have been reached. */
export function compileCatch(
  context: CompileContext,
  entries: readonly CatchKeys[] | undefined,
  path: JsonPath,
  scope: Scope,
  inner: Scope,
): readonly CatchPlan[] | undefined {
  return entries?.map((entry, index): CatchPlan => {
    const entryPath = [...path, index]
    const isAll = entry.errors.includes('all')
    checkErrorCodes(
      context.source,
      entry.errors.filter((code) => code !== 'all'),
      [...entryPath, 'errors'],
    )
    const visible = withNames(withAbsentSteps(scope, inner), { error: errorType })
    return {
      errors: isAll ? 'all' : entry.errors,
      steps: compileSteps(context, entry.steps, [...entryPath, 'steps'], visible).steps,
    }
  })
}

function compileForEach(
  context: CompileContext,
  keys: ForEachKeys,
  path: JsonPath,
  scope: Scope,
): { readonly plan: ForEachPlan; readonly scope: Scope } {
  const items = compileTemplate(context.source, keys.items, [...path, 'items'], scope)
  const as = keys.as ?? 'item'
  const item = items.type.items ?? {}
  return {
    plan: {
      items: items.template,
      as,
      maxParallel: keys['max-parallel'] ?? 1,
      tolerate: tolerance(keys.tolerate),
    },
    scope: withNames(scope, { [as]: item, index: numberType }),
  }
}
