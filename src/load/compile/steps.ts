import { anyType, type Expression, type ValueType } from '../../core/expressions/index.ts'
import { type JsonPath, withoutUndefined } from '../../core/json.ts'
import type { CatchPlan, StepPlan } from '../../core/plan/index.ts'
import { checkErrorCodes } from '../check-error-codes.ts'
import { languageDefaults } from '../language/defaults.ts'
import { runbookLimits } from '../limits.ts'
import type { CatchKeys, StepKeys } from '../runbook-document.ts'
import { checkId } from './check-id.ts'
import { checkStepTimes } from './check-step-times.ts'
import { compileChoose, hasOtherwise } from './choose.ts'
import type { CompileContext } from './context.ts'
import { compileForEach } from './for-each.ts'
import { loopOutputs } from './outputs-type.ts'
import { milliseconds } from './policies.ts'
import { alwaysFails, checkReach, failsWhenRun, recovers, warnOfUnreachable } from './reach.ts'
import { errorType } from './run-type.ts'
import {
  type Absence,
  addStep,
  openBlock,
  type StepFacts,
  type TypeScope,
  withAbsentSteps,
  withCondition,
  withoutCondition,
  withTypes,
} from './scope.ts'
import { compileCount, settingsOf } from './settings.ts'
import { compileCondition, compileTemplate } from './template.ts'
import { type CompiledTurns, compileTurns } from './turns.ts'
import { compileUses } from './uses.ts'

/** Steps of one block, and the scope after the last of them. */
export interface CompiledSteps {
  readonly steps: readonly StepPlan[]
  readonly scope: TypeScope
}

/** Compiles steps that run one after another: each sees those before it. */
export function compileSteps(
  context: CompileContext,
  steps: readonly (StepKeys | undefined)[],
  path: JsonPath,
  scope: TypeScope,
): CompiledSteps {
  let visible = openBlock(scope)
  let end: StepPlan | undefined
  const plans = steps.flatMap((step, index): StepPlan[] => {
    if (!step) return []
    const at = [...path, index]
    if (end) warnOfUnreachable(context.source, end, at)
    const { plan, ids, facts } = compileStep(context, step, at, visible)
    addStep(visible, ids, facts)
    if (!plan) return []
    end = alwaysFails(plan) ? plan : undefined
    if (!end && plan.if && failsWhenRun(plan)) visible = withoutCondition(visible, plan.if)
    return [plan]
  })
  return { steps: plans, scope: visible }
}

interface CompiledStep {
  readonly plan?: StepPlan
  /** The names by which later steps are allowed to mean it. */
  readonly ids: readonly string[]
  readonly facts: StepFacts
}

function compileStep(
  context: CompileContext,
  step: StepKeys,
  path: JsonPath,
  scope: TypeScope,
): CompiledStep {
  const ids = checkId(context, step.id, [...path, 'id'])
  checkStepTimes(context, step, path)
  const condition = compileCondition(context, step.if, [...path, 'if'], scope)
  const sure = withCondition(scope, condition)
  const loop = step['for-each'] && compileForEach(context, step['for-each'], [...path, 'for-each'], sure)
  const body = compileBody(context, step, path, loop?.scope ?? sure)
  const after = body.outputs ? withTypes(body.scope, { outputs: body.outputs }) : body.scope
  const ownOutputs =
    step.outputs === undefined
      ? undefined
      : compileTemplate(context, step.outputs, [...path, 'outputs'], after)
  const outputs = ownOutputs?.type ?? body.outputs
  // Whatever a loop leaves behind where it failed, one that tolerates nothing and succeeded has no failed item.
  const failedOutputs = loop ? loopOutputs(outputs, false) : outputs
  const isSure = loop?.plan.tolerate === 0 && step['continue-on-error'] !== true && !mayChooseNone(step)
  const hasBranch = step.choose !== undefined && !loop
  const failed: StepFacts = { outputs: failedOutputs, absent: ['failed'], hasBranch, hasFailed: true }
  const around = sure.isUnreached ? sure : scope
  const caught = compileCatch(context, step.catch, [...path, 'catch'], around, body.scope, {
    ids,
    facts: failed,
  })
  const facts = factsOf(step, condition, caught, {
    outputs: isSure ? loopOutputs(outputs, true) : failedOutputs,
    ...(isSure ? { failedOutputs } : {}),
  })
  const [id] = ids
  if (!body.plan || id === undefined) return { ids, facts }
  const plan: StepPlan = {
    ...body.plan,
    id,
    ...withoutUndefined({ name: step.name, description: step.description, if: condition }),
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
  caught: readonly CatchPlan[] | undefined,
  outputs: Pick<StepFacts, 'outputs' | 'failedOutputs'>,
): StepFacts {
  const absent: readonly Absence[] = [
    ...(step.if !== undefined && step.if !== true ? (['skipped'] as const) : []),
    ...(caught?.some(recovers) ? (['caught'] as const) : []),
    ...(step['continue-on-error'] === true ? (['tolerated'] as const) : []),
    ...(mayChooseNone(step) && !step['for-each'] ? (['unchosen'] as const) : []),
  ]
  return {
    ...outputs,
    ...(condition === undefined ? {} : { condition: condition.source }),
    absent,
    hasBranch: step.choose !== undefined && !step['for-each'],
  }
}

function mayChooseNone({ choose }: StepKeys): boolean {
  return choose !== undefined && !hasOtherwise(choose)
}

type OwnKeys =
  | 'kind'
  | 'uses'
  | 'turns'
  | 'steps'
  | 'finally'
  | 'branches'
  | 'maxParallel'
  | 'onBranchError'
  | 'choices'
type BodyPlan = StepPlan extends infer Plan
  ? Plan extends StepPlan
    ? Pick<Plan, Extract<keyof Plan, OwnKeys>>
    : never
  : never

interface CompiledBody {
  readonly plan?: BodyPlan
  /** Undefined: it has none, unless the step names its own. */
  readonly outputs: ValueType | undefined
  /** What the step's own `outputs` and `catch` see. */
  readonly scope: TypeScope
}

/** A step that is several things at once has been told so; each of them is looked at all the same. */
function compileBody(
  context: CompileContext,
  step: StepKeys,
  path: JsonPath,
  scope: TypeScope,
): CompiledBody {
  const bodies: CompiledBody[] = []
  if (step.uses !== undefined) {
    const { uses, outputs } = compileUses(context, step, path, scope)
    bodies.push({ ...(uses === undefined ? {} : { plan: { kind: 'uses', uses } }), outputs, scope })
  }
  if (step.steps) bodies.push(compileBlock(context, step, step.steps, path, scope))
  if (step.parallel) bodies.push(compileParallel(context, step, step.parallel, path, scope))
  if (step.choose) {
    const chosen = compileChoose(context, step.choose, [...path, 'choose'], scope, compileSteps)
    const plan = { kind: 'choose', choices: chosen.choices } as const
    bodies.push({ plan, outputs: undefined, scope: chosen.scope })
  }
  return bodies[0] ?? { outputs: anyType, scope }
}

function compileBlock(
  context: CompileContext,
  step: StepKeys,
  steps: readonly (StepKeys | undefined)[],
  path: JsonPath,
  scope: TypeScope,
): CompiledBody {
  const compileInner = (seen: TypeScope): CompiledSteps =>
    compileSteps(context, steps, [...path, 'steps'], seen)
  const inner: Partial<CompiledTurns> & CompiledSteps = step.repeat
    ? compileTurns(context, step, step.repeat, [...path, 'repeat'], scope, compileInner)
    : compileInner(scope)
  const { turns } = inner
  const cleanUp =
    step.finally &&
    compileSteps(context, step.finally, [...path, 'finally'], withAbsentSteps(scope, inner.scope))
  return {
    plan: {
      kind: 'block',
      ...(turns === undefined ? {} : { turns }),
      steps: inner.steps,
      ...(cleanUp === undefined ? {} : { finally: cleanUp.steps }),
    },
    outputs: inner.outputs,
    scope: inner.scope,
  }
}

/** Branches see what is around them, and not each other. */
function compileParallel(
  context: CompileContext,
  step: StepKeys,
  branches: readonly (StepKeys | undefined)[],
  path: JsonPath,
  scope: TypeScope,
): CompiledBody {
  const after = openBlock(scope)
  const plans = branches.flatMap((branch, index): StepPlan[] => {
    if (!branch) return []
    const { plan, ids, facts } = compileStep(context, branch, [...path, 'parallel', index], scope)
    addStep(after, ids, facts)
    return plan ? [plan] : []
  })
  const most = step['max-parallel']
  return {
    plan: {
      kind: 'parallel',
      branches: plans,
      ...(most === undefined
        ? {}
        : settingsOf({
            maxParallel: compileCount(context, most, [...path, 'max-parallel'], {
              otherwise: branches.length,
              most: runbookLimits.parallel,
            }),
          })),
      onBranchError: step['on-branch-error'] ?? languageDefaults.parallel.onBranchError,
    },
    outputs: undefined,
    scope: after,
  }
}

/** The step of a `catch`: the ids that name it, and what is known about it. */
interface FailedStep {
  readonly ids: readonly string[]
  readonly facts: StepFacts
}

/** A `catch` sees its own step and the steps of its block, each of which may never have been reached. */
function compileCatch(
  context: CompileContext,
  entries: readonly (CatchKeys | undefined)[] | undefined,
  path: JsonPath,
  scope: TypeScope,
  inner: TypeScope,
  failed: FailedStep,
): readonly CatchPlan[] | undefined {
  if (entries === undefined) return undefined
  const taken = new Set<unknown>()
  const visible = withTypes(withAbsentSteps(scope, inner), { error: errorType })
  addStep(visible, failed.ids, failed.facts)
  return entries.flatMap((entry, index): CatchPlan[] => {
    if (!entry) return []
    const entryPath = [...path, index]
    const codes = entry.errors ?? []
    checkErrorCodes(context, codes, [...entryPath, 'errors'])
    checkReach(context.source, entry, [...entryPath, 'errors'], taken)
    const when = compileCondition(context, entry.when, [...entryPath, 'when'], visible)
    const { steps } = compileSteps(context, entry.steps ?? [], [...entryPath, 'steps'], visible)
    const errors = codes.filter((code) => typeof code === 'string')
    return [
      {
        errors: errors.includes('all') ? 'all' : errors,
        ...(when === undefined ? {} : { when }),
        steps,
        ...(entry.then === 'fail' ? { keepsFailure: true } : {}),
      },
    ]
  })
}
