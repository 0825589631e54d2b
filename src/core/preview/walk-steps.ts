import {
  evaluateTemplate,
  type Known,
  type KnownScope,
  known,
  knownMap,
  unknown,
} from '../expressions/known.ts'
import { isJsonObject, withoutUndefined } from '../json.ts'
import type { BlockStepPlan, CatchPlan, ForEachPlan, ParallelStepPlan, StepPlan } from '../plan/plan.ts'
import { settled } from '../plan/settings.ts'
import { previewCondition } from './preview-value.ts'
import { nothing, type Task } from './shortest-time.ts'
import {
  type Calls,
  type CatchPreview,
  type ConditionPreview,
  maybeCalls,
  noCalls,
  type StepPreview,
} from './step-preview.ts'
import { walkChoose } from './walk-choose.ts'
import {
  addProblem,
  callsIn,
  mapCalls,
  type Usage,
  type WalkContext,
  type Walked,
  type WalkedBody,
  type WalkedSteps,
} from './walk-context.ts'
import { walkLoop } from './walk-loop.ts'
import { walkTurns } from './walk-turns.ts'
import { walkUses } from './walk-uses.ts'

/** Walks steps that run one after another: each sees what is known of those before it. */
export function walkSteps(steps: readonly StepPlan[], scope: KnownScope, context: WalkContext): WalkedSteps {
  let seen: Readonly<Record<string, Known>> = {}
  const walked = steps.map((step) => {
    const one = walkStep(step, withSteps(scope, seen), context)
    seen = { ...seen, [step.id]: one.seen }
    return one
  })
  return {
    preview: walked.map(({ preview }) => preview),
    task: { kind: 'sequence', tasks: walked.map(({ task }) => task) },
    usage: walked.flatMap(({ usage }) => usage),
    steps: seen,
  }
}

/** Handlers of failures: what led there is not known. */
function walkCatch(
  entries: readonly CatchPlan[] | undefined,
  scope: KnownScope,
  inner: readonly string[],
  context: WalkContext,
): readonly CatchPreview[] {
  const around = { ...withUnknownSteps(scope, inner), error: unknown }
  return (entries ?? []).map(({ errors, when, steps, keepsFailure }) => ({
    errors: errors === 'all' ? ['all'] : errors,
    ...(when === undefined ? {} : { when: when.source }),
    steps: walkSteps(steps, around, { ...context, isCertain: false, isMeasured: false, calls: undefined })
      .preview,
    ...(keepsFailure ? { keeps_failure: true } : {}),
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

interface WalkedStep extends Walked<StepPreview> {
  /** What later steps see. */
  readonly seen: Known
}

function walkStep(step: StepPlan, scope: KnownScope, outer: WalkContext): WalkedStep {
  const path = outer.path === '' ? step.id : `${outer.path}/${step.id}`
  const condition = step.if && previewCondition(step.if, scope)
  const begins = condition === undefined || condition.state === 'true' ? 'yes' : runsBy(condition)
  const calls = begins === 'yes' ? outer.calls : begins === 'no' ? undefined : outer.calls?.maybe()
  const context = { ...outer, path, isCertain: outer.isCertain && begins === 'yes', calls }
  if (condition?.state === 'failed')
    addProblem({ ...outer, path }, '.if', `cannot be evaluated: "${condition.source}"`)
  const walkOne = (inner: KnownScope, at: WalkContext): WalkedBody => walkBody(step, inner, at)
  const looped =
    step.forEach && walkLoop(step.forEach, scope, context, walkOne, readsItem(step, step.forEach))
  const body = looped?.body ?? walkOne(scope, context)
  const runs = looped ? begins : bothRun(begins, body.runs)
  const usage = usageOf(looped?.usage ?? body.usage, runs)
  const task = taskOf(looped?.task ?? body.task, runs)
  const { repeat, uses, max_parallel: atOnce, branches, ...inside } = body.preview
  return {
    preview: {
      path,
      id: step.id,
      ...(step.name === undefined ? {} : { name: step.name }),
      kind: step.kind,
      runs,
      ...(condition === undefined ? {} : { condition }),
      ...(looped === undefined ? {} : { for_each: looped.loop }),
      ...withoutUndefined({ repeat, uses }),
      calls: callsIn(usage),
      // Known once all of the run is simulated.
      shortest_ms: undefined,
      ...(step.timeoutMs === undefined ? {} : { timeout_ms: step.timeoutMs }),
      continue_on_error: step.continueOnError === true,
      ...(atOnce === undefined ? {} : { max_parallel: atOnce }),
      ...inside,
      catch: walkCatch(step.catch, scope, Object.keys(body.inner), context),
      ...(branches === undefined ? {} : { branches }),
    },
    task: context.isMeasured ? { kind: 'step', path, task } : task,
    usage,
    seen: seenAfter(step, runs, looped === undefined ? body : undefined, scope),
  }
}

function runsBy({ state }: ConditionPreview): StepPreview['runs'] {
  return state === 'false' ? 'no' : 'open'
}

/** A step runs where its own condition holds and one of its branches runs. */
function bothRun(begins: StepPreview['runs'], branch: StepPreview['runs'] = 'yes'): StepPreview['runs'] {
  if (begins === 'no' || branch === 'no') return 'no'
  return begins === 'yes' ? branch : 'open'
}

function usageOf(usage: readonly Usage[], runs: StepPreview['runs']): readonly Usage[] {
  const change = (calls: Calls): Calls => (runs === 'open' ? maybeCalls(calls) : noCalls)
  return runs === 'yes' ? usage : mapCalls(usage, change)
}

function taskOf(task: Task, runs: StepPreview['runs']): Task {
  if (runs === 'no') return nothing
  return runs === 'open' ? { kind: 'maybe', task } : task
}

function walkBody(step: StepPlan, scope: KnownScope, context: WalkContext): WalkedBody {
  switch (step.kind) {
    case 'uses':
      return walkUses(step.uses, scope, context)
    case 'block':
      return walkBlock(step, scope, context)
    case 'parallel':
      return walkParallel(step, scope, context)
    case 'choose':
      return walkChoose(step, scope, context, walkSteps)
  }
}

function walkBlock(step: BlockStepPlan, scope: KnownScope, context: WalkContext): WalkedBody {
  const walkOnce = (inner: KnownScope, at: WalkContext): WalkedBody => walkInner(step.steps, inner, at)
  const walked = step.turns ? walkTurns(step.turns, scope, context, walkOnce) : walkOnce(scope, context)
  const after = withUnknownSteps(scope, Object.keys(walked.inner))
  const cleanUp = walkSteps(step.finally ?? [], after, { ...context, calls: undefined })
  return {
    preview: { ...walked.preview, finally: cleanUp.preview },
    task: { kind: 'sequence', tasks: [walked.task, cleanUp.task] },
    usage: [...walked.usage, ...cleanUp.usage],
    inner: walked.inner,
  }
}

function walkInner(steps: readonly StepPlan[], scope: KnownScope, context: WalkContext): WalkedBody {
  const { preview, steps: inner, ...walked } = walkSteps(steps, scope, context)
  return { ...walked, preview: { steps: preview, finally: [] }, inner }
}

function walkParallel(step: ParallelStepPlan, scope: KnownScope, context: WalkContext): WalkedBody {
  const walked = step.branches.map((branch) =>
    walkStep(branch, scope, { ...context, calls: context.calls?.inside() }),
  )
  const atOnce = step.maxParallel ?? step.branches.length
  return {
    preview: {
      steps: walked.map(({ preview }) => preview),
      finally: [],
      ...(step.maxParallel === undefined
        ? {}
        : { max_parallel: settled({ ...step, maxParallel: step.maxParallel }, 'maxParallel') }),
    },
    task: { kind: 'together', tasks: walked.map(({ task }) => task), atOnce },
    usage: walked.flatMap(({ usage }) => usage),
    inner: Object.fromEntries(
      step.branches.map((branch, index) => [branch.id, walked[index]?.seen ?? unknown]),
    ),
  }
}

/** Later steps are only reached when this one was skipped or went well. */
function seenAfter(
  step: StepPlan,
  runs: StepPreview['runs'],
  body: WalkedBody | undefined,
  scope: KnownScope,
): Known {
  if (runs === 'no') return knownMap({ status: known('skipped') })
  if (runs === 'open' || step.continueOnError || step.catch) return unknown
  const given = body?.outputs ?? { state: 'unknown' }
  const outputs = given.state === 'known' ? known(given.value) : unknown
  const own =
    step.outputs && body && evaluateTemplate(step.outputs, { ...withSteps(scope, body.inner), outputs })
  const last = step.outputs === undefined ? outputs : own?.state === 'known' ? known(own.value) : unknown
  const branch = body?.branch === undefined ? {} : { branch: body.branch }
  return knownMap({ status: known('succeeded'), outputs: last, ...branch })
}

/** Whether what a loop does can differ between its items: whether anything in it names the item or its index. */
function readsItem(step: StepPlan, { as }: ForEachPlan): boolean {
  return namesOne(step, new Set([as, 'index']))
}

/** A plan is plain data: every name that is read is a node of a tree in it. */
function namesOne(part: unknown, names: ReadonlySet<string>): boolean {
  if (Array.isArray(part)) return part.some((one) => namesOne(one, names))
  if (!isJsonObject(part)) return false
  if (part['kind'] === 'name' && names.has(String(part['name']))) return true
  return Object.values(part).some((one) => namesOne(one, names))
}
