import type { Expression } from '../../core/expressions/tree.ts'
import { anything, mapOf, type ValueType } from '../../core/expressions/value-type.ts'
import type { StepPlan } from '../../core/plan.ts'
import type { JsonPath } from '../json-path.ts'
import type { StepKeys } from '../runbook-document.ts'
import { compileCatch } from './catch.ts'
import { checkId } from './check-id.ts'
import { checkStepTimes } from './check-step-times.ts'
import type { CompileContext } from './context.ts'
import { compileForEach } from './for-each.ts'
import { milliseconds } from './policies.ts'
import {
  addStep,
  loopOutputs,
  openBlock,
  type Scope,
  type StepFacts,
  withAbsentSteps,
  withCondition,
  withNames,
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
  steps: readonly (StepKeys | undefined)[],
  path: JsonPath,
  scope: Scope,
): CompiledSteps {
  const visible = openBlock(scope)
  return { steps: compileEach(context, steps, path, visible, visible), scope: visible }
}

/** `after`: the scope that each of them is added to. */
function compileEach(
  context: CompileContext,
  steps: readonly (StepKeys | undefined)[],
  path: JsonPath,
  scope: Scope,
  after: Scope,
): readonly StepPlan[] {
  const plans: StepPlan[] = []
  for (const [index, step] of steps.entries()) {
    if (!step) continue
    const compiled = compileStep(context, step, [...path, index], scope)
    if (compiled.plan) plans.push(compiled.plan)
    addStep(after, compiled.ids, compiled.facts)
  }
  return plans
}

interface CompiledStep {
  readonly plan?: StepPlan
  /** The names by which later steps are allowed to mean it. */
  readonly ids: readonly string[]
  readonly facts: StepFacts
}

function compileStep(context: CompileContext, step: StepKeys, path: JsonPath, scope: Scope): CompiledStep {
  const ids = checkId(context, step.id, [...path, 'id'])
  checkStepTimes(context, step, path)
  const condition = compileCondition(context, step.if, [...path, 'if'], scope)
  const sure = withCondition(scope, condition)
  const loop = step['for-each'] && compileForEach(context, step['for-each'], [...path, 'for-each'], sure)
  const body = compileBody(context, step, path, loop?.scope ?? sure)
  const after = withNames(body.scope, { outputs: body.outputs })
  const ownOutputs =
    step.outputs === undefined
      ? undefined
      : compileTemplate(context, step.outputs, [...path, 'outputs'], after)
  const outputs = ownOutputs?.type ?? body.outputs
  // Whatever a loop leaves behind where it failed, one that tolerates nothing and succeeded has no failed item.
  const failedOutputs = loop ? loopOutputs(outputs, false) : outputs
  const isSure = loop?.plan.tolerate === 0 && step['continue-on-error'] !== true
  const facts = factsOf(step, condition, {
    outputs: isSure ? loopOutputs(outputs, true) : failedOutputs,
    ...(isSure ? { failedOutputs } : {}),
  })
  const failed = { outputs: failedOutputs, because: 'a step that failed may have no outputs' }
  const caught = compileCatch(context, step.catch, [...path, 'catch'], scope, body.scope, {
    ids,
    facts: failed,
  })
  const [id] = ids
  if (!body.plan || id === undefined) return { ids, facts }
  const plan: StepPlan = {
    ...body.plan,
    id,
    ...(step.name === undefined ? {} : { name: step.name }),
    ...(step.description === undefined ? {} : { description: step.description }),
    ...(condition === undefined ? {} : { if: condition }),
    ...(loop === undefined ? {} : { forEach: loop.plan }),
    ...(step.timeout === undefined ? {} : { timeoutMs: milliseconds(step.timeout, 0) }),
    ...(step['continue-on-error'] === true ? { continueOnError: true } : {}),
    ...(caught === undefined ? {} : { catch: caught }),
    ...(ownOutputs === undefined ? {} : { outputs: ownOutputs.template }),
    isRead: false,
  }
  return { ids, facts, plan }
}

/** What later steps can count on. */
function factsOf(
  step: StepKeys,
  condition: Expression | undefined,
  outputs: Pick<StepFacts, 'outputs' | 'failedOutputs'>,
): StepFacts {
  const because =
    step.if !== undefined && step.if !== true
      ? 'the step is skipped when its condition is false'
      : step.catch !== undefined
        ? 'the step has no outputs when its failure is caught'
        : step['continue-on-error'] === true
          ? 'the step may have failed'
          : undefined
  return {
    ...outputs,
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

/** A step that is several things at once has been told so; each of them is looked at all the same. */
function compileBody(context: CompileContext, step: StepKeys, path: JsonPath, scope: Scope): CompiledBody {
  const bodies: CompiledBody[] = []
  if (step.uses !== undefined) {
    const { uses, outputs } = compileUses(context, step, path, scope)
    bodies.push({ ...(uses === undefined ? {} : { plan: { kind: 'uses', uses } }), outputs, scope })
  }
  if (step.steps) bodies.push(compileBlock(context, step, step.steps, path, scope))
  if (step.parallel) bodies.push(compileParallel(context, step, step.parallel, path, scope))
  return bodies[0] ?? { outputs: anything, scope }
}

function compileBlock(
  context: CompileContext,
  step: StepKeys,
  steps: readonly (StepKeys | undefined)[],
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
  branches: readonly (StepKeys | undefined)[],
  path: JsonPath,
  scope: Scope,
): CompiledBody {
  const after = openBlock(scope)
  const plans = compileEach(context, branches, [...path, 'parallel'], scope, after)
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
