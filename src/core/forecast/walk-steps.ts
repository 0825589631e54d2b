import type { CatchPlan, StepPlan } from '../plan.ts'
import { addCalls, type Calls, maybeCalls, noCalls } from './calls.ts'
import {
  evaluateCondition,
  evaluateTemplate,
  type Known,
  type KnownScope,
  known,
  knownMap,
  unknown,
} from './known.ts'
import { readsItem } from './reads-item.ts'
import type { CatchForecast, ConditionForecast, StepForecast } from './step-forecast.ts'
import { nothing, type Task } from './task.ts'
import { addProblem, type Usage, type WalkContext, type Walked, type WalkedBody } from './walk-context.ts'
import { walkLoop } from './walk-loop.ts'
import { walkUses } from './walk-uses.ts'

/** Steps one after another, and what is known of them afterwards. */
export interface WalkedSteps extends Walked<readonly StepForecast[]> {
  readonly steps: Readonly<Record<string, Known>>
}

/** Walks steps that run one after another: each sees what is known of those before it. */
export function walkSteps(steps: readonly StepPlan[], scope: KnownScope, context: WalkContext): WalkedSteps {
  let seen: Readonly<Record<string, Known>> = {}
  const walked = steps.map((step) => {
    const one = walkStep(step, withSteps(scope, seen), context)
    seen = { ...seen, [step.id]: one.seen }
    return one
  })
  return {
    forecast: walked.map(({ forecast }) => forecast),
    task: { kind: 'sequence', tasks: walked.map(({ task }) => task) },
    usage: walked.flatMap(({ usage }) => usage),
    steps: seen,
  }
}

/** Handlers of failures: what led there is not known. */
export function walkCatch(
  entries: readonly CatchPlan[] | undefined,
  scope: KnownScope,
  inner: readonly string[],
  context: WalkContext,
): readonly CatchForecast[] {
  const around = { ...withUnknownSteps(scope, inner), error: unknown }
  return (entries ?? []).map(({ errors, steps }) => ({
    errors,
    steps: walkSteps(steps, around, { ...context, isCertain: false, isMeasured: false }).forecast,
  }))
}

/** The same scope after steps that may or may not have been reached. */
export function withUnknownSteps(scope: KnownScope, ids: readonly string[]): KnownScope {
  return withSteps(scope, Object.fromEntries(ids.map((id) => [id, unknown])))
}

function withSteps(scope: KnownScope, steps: Readonly<Record<string, Known>>): KnownScope {
  const before = scope['steps']?.kind === 'map' ? scope['steps'].fields : {}
  return { ...scope, steps: knownMap({ ...before, ...steps }) }
}

interface WalkedStep extends Walked<StepForecast> {
  /** What later steps see. */
  readonly seen: Known
}

function walkStep(step: StepPlan, scope: KnownScope, outer: WalkContext): WalkedStep {
  const path = outer.path === '' ? step.id : `${outer.path}/${step.id}`
  const condition = step.if && forecastCondition(step, scope)
  const runs = condition === undefined || condition.state === 'true' ? 'yes' : runsBy(condition)
  const context = { ...outer, path, isCertain: outer.isCertain && runs === 'yes' }
  if (condition?.state === 'failed') {
    addProblem({ ...outer, path }, '.if', `cannot be evaluated: "${condition.source}"`)
  }
  const walkOne = (inner: KnownScope, at: WalkContext): WalkedBody => walkBody(step, inner, at)
  const looped =
    step.forEach && walkLoop(step.forEach, scope, context, walkOne, readsItem(step, step.forEach))
  const body = looped?.body ?? walkOne(scope, context)
  const usage = usageOf(looped?.usage ?? body.usage, runs)
  const task = taskOf(looped?.task ?? body.task, runs)
  return {
    forecast: {
      path,
      id: step.id,
      ...(step.name === undefined ? {} : { name: step.name }),
      kind: step.kind,
      ...(condition === undefined ? {} : { condition }),
      runs,
      ...(looped === undefined ? {} : { loop: looped.loop }),
      calls: addCalls(usage.map(({ calls }) => calls)),
      ...(step.timeoutMs === undefined ? {} : { timeoutMs: step.timeoutMs }),
      continueOnError: step.continueOnError === true,
      ...body.forecast,
      catch: walkCatch(step.catch, scope, Object.keys(body.inner), context),
    },
    task: context.isMeasured ? { kind: 'step', path, task } : task,
    usage,
    seen: seenAfter(step, runs, looped === undefined ? body : undefined, scope),
  }
}

function forecastCondition({ if: expression }: StepPlan, scope: KnownScope): ConditionForecast | undefined {
  if (expression === undefined) return undefined
  const evaluated = evaluateCondition(expression, scope)
  const { source } = expression
  if (evaluated.state === 'known') return { source, state: evaluated.value ? 'true' : 'false', needs: [] }
  return evaluated.state === 'failed'
    ? { source, state: 'failed', needs: [] }
    : { source, state: 'open', needs: evaluated.needs }
}

function runsBy({ state }: ConditionForecast): StepForecast['runs'] {
  return state === 'false' ? 'no' : 'open'
}

function usageOf(usage: readonly Usage[], runs: StepForecast['runs']): readonly Usage[] {
  const change = (calls: Calls): Calls => (runs === 'open' ? maybeCalls(calls) : noCalls)
  return runs === 'yes' ? usage : usage.map((one) => ({ ...one, calls: change(one.calls) }))
}

function taskOf(task: Task, runs: StepForecast['runs']): Task {
  if (runs === 'no') return nothing
  return runs === 'open' ? { kind: 'maybe', task } : task
}

function walkBody(step: StepPlan, scope: KnownScope, context: WalkContext): WalkedBody {
  if (step.kind === 'uses') return walkUses(step.uses, scope, context)
  if (step.kind === 'parallel') {
    const walked = step.branches.map((branch) => walkStep(branch, scope, context))
    const atOnce = step.maxParallel ?? step.branches.length
    return {
      forecast: {
        steps: walked.map(({ forecast }) => forecast),
        finally: [],
        ...(step.maxParallel === undefined ? {} : { maxParallel: step.maxParallel }),
      },
      task: { kind: 'together', tasks: walked.map(({ task }) => task), atOnce },
      usage: walked.flatMap(({ usage }) => usage),
      inner: Object.fromEntries(
        step.branches.map((branch, index) => [branch.id, walked[index]?.seen ?? unknown]),
      ),
    }
  }
  const walked = walkSteps(step.steps, scope, context)
  const after = withUnknownSteps(scope, Object.keys(walked.steps))
  const cleanUp = walkSteps(step.finally ?? [], after, context)
  return {
    forecast: { steps: walked.forecast, finally: cleanUp.forecast },
    task: { kind: 'sequence', tasks: [walked.task, cleanUp.task] },
    usage: [...walked.usage, ...cleanUp.usage],
    inner: walked.steps,
  }
}

/** Later steps are only reached when this one was skipped or went well. */
function seenAfter(
  step: StepPlan,
  runs: StepForecast['runs'],
  body: WalkedBody | undefined,
  scope: KnownScope,
): Known {
  if (runs === 'no') return knownMap({ status: known('skipped'), attempts: known(0) })
  if (runs === 'open' || step.continueOnError || step.catch) return unknown
  const given = body?.outputs ?? { state: 'unknown' }
  const outputs = given.state === 'known' ? known(given.value) : unknown
  const own =
    step.outputs && body && evaluateTemplate(step.outputs, { ...withSteps(scope, body.inner), outputs })
  const last = step.outputs === undefined ? outputs : own?.state === 'known' ? known(own.value) : unknown
  return knownMap({ status: known('succeeded'), attempts: unknown, outputs: last })
}
