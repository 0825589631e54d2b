import type { ActionDescription } from '../action.ts'
import { isSameJson, type JsonObject, type JsonValue } from '../json.ts'
import type { ForEachPlan, Plan, StepPlan, UsesStepPlan } from '../plan/plan.ts'
import { actionName, childOf } from '../plan/plan-walk.ts'
import { catchPath } from '../plan/step-address.ts'
import { withAskedAgain } from './asked-again.ts'
import { compareChoose } from './compare-choose.ts'
import {
  compareTemplates,
  isSameCondition,
  isSameText,
  type Sameness,
  type SeenValues,
  type Sides,
  sidesOf,
  together,
} from './compare-templates.ts'
import { compareTurns } from './compare-turns.ts'
import { type ComparedStep, type Comparison, note } from './comparison.ts'
import type { DoneBefore } from './done-before.ts'
import { type Judgement, judgeStep, withReason } from './judge-step.ts'
import { placedSteps } from './placed-steps.ts'
import type { StepOverrides } from './resume-changes.ts'
import type { StepComparison, StepFate } from './resume-comparison.ts'

/** A run before and after its changes. */
export interface ComparedRun {
  readonly before: Plan
  readonly after: Plan
  readonly inputsBefore: JsonObject
  readonly inputsAfter: JsonObject
  readonly overrides: StepOverrides
  readonly done: DoneBefore
  readonly actions: readonly Pick<ActionDescription, 'name' | 'isLocal'>[]
  readonly isPlain?: 'unchanged' | 'changed-before'
}

/** The result of the comparison. */
export interface ComparedSteps {
  readonly steps: readonly StepComparison[]
  /** The paths of the loops whose items have the same positions. */
  readonly sameLoops: ReadonlySet<string>
}

/** Compares the steps of a run before and after its changes. */
export function compareSteps(run: ComparedRun): ComparedSteps {
  const { before, after, overrides, done } = run
  const comparison: Comparison = {
    overrides,
    done,
    after,
    earlier: new Map(placedSteps(before).map(({ path, step }) => [path, step])),
    today: new Map(placedSteps(after).map(({ path, step }) => [path, actionName(step)])),
    local: new Set(run.actions.filter(({ isLocal }) => isLocal).map(({ name }) => name)),
    steps: [],
    calls: new Map(),
    sameLoops: new Set(),
    isPlain: run.isPlain,
    place: undefined,
  }
  const inputs = { before: run.inputsBefore, after: run.inputsAfter }
  compareRunbook(comparison, after, '', { inputs, sameInputs: false, names: new Map(), steps: new Map() })
  noteRemoved(comparison)
  const { steps, calls, sameLoops } = comparison
  return { steps: withAskedAgain(steps, calls), sameLoops }
}

function compareRunbook(comparison: Comparison, plan: Plan, around: string, seenHere: SeenValues): boolean {
  const { isSame, seen } = compareList(comparison, plan.steps, around, seenHere)
  const inside = { ...seenHere, steps: seen }
  const isCleanUpSame = compareAfter({ ...comparison, place: 'finally' }, plan.finally, around, inside)
  return isSame && isCleanUpSame
}

/** Each step sees those before it; `seen` is what the steps after the list see. */
function compareList(
  comparison: Comparison,
  steps: readonly StepPlan[],
  around: string,
  seenHere: SeenValues,
): { readonly isSame: boolean; readonly seen: ReadonlyMap<string, boolean> } {
  const seen = new Map(seenHere.steps)
  let isSame = true
  for (const step of steps) {
    const path = around === '' ? step.id : `${around}/${step.id}`
    const was = comparison.earlier.get(path)
    const isStepSame = compareStep(comparison, { step, was, path }, { ...seenHere, steps: seen })
    seen.set(step.id, isStepSame)
    isSame &&= isStepSame
  }
  return { isSame, seen }
}

function compareCatch(comparison: Comparison, { step, path }: ComparedStep, seenHere: SeenValues): boolean {
  const { catch: entries = [] } = step
  const place = { catchOf: path }
  const inside = { ...seenHere, names: new Map([...seenHere.names, ['error', false] as const]) }
  return entries
    .map(({ steps }) => compareAfter({ ...comparison, place }, steps, catchPath(step, path), inside))
    .every(Boolean)
}

/** The steps of a `catch` or a `finally`: no yes holds them back. */
function compareAfter(
  comparison: Comparison,
  steps: readonly StepPlan[] = [],
  around: string,
  seenHere: SeenValues,
): boolean {
  return compareList({ ...comparison, calls: new Map() }, steps, around, seenHere).isSame
}

function compareStep(comparison: Comparison, compared: ComparedStep, seenHere: SeenValues): boolean {
  const { step, was, path } = compared
  const isSkipped = comparison.overrides.isSkipped(path)
  const isConditionSame =
    comparison.isPlain !== undefined || isSameCondition(was?.if, step.if, sidesOf(seenHere))
  if (comparison.done.wasSkipped(path) && isConditionSame && was && !isSkipped) {
    note(comparison, step, path, { fate: 'skipped', ...(step.if ? { reason: step.if.source } : {}) })
    return true
  }
  const inside = step.forEach ? insideLoop(comparison, step.forEach, compared, seenHere) : seenHere
  const isBodySame = compareBody(comparison, compared, inside)
  const isCatchSame = compareCatch(comparison, compared, inside)
  return isBodySame && isCatchSame && isConditionSame && isResultSame(compared) && !isSkipped
}

/** What the step makes of its body. */
function isResultSame({ step, was }: ComparedStep): boolean {
  if (!was) return false
  const rules = ({ continueOnError, outputs, catch: entries }: StepPlan): object => ({
    continueOnError,
    outputs,
    catch: entries?.map(({ errors, when, keepsFailure }) => ({ errors, when, keepsFailure })),
  })
  return isSameText(rules(was), rules(step))
}

function insideLoop(
  { sameLoops }: Comparison,
  loop: ForEachPlan,
  { was, path }: ComparedStep,
  seenHere: SeenValues,
): SeenValues {
  const isSame = compareTemplates(was?.forEach?.items, loop.items, sidesOf(seenHere)) === 'same'
  if (isSame) sameLoops.add(path)
  return { ...seenHere, names: new Map([...seenHere.names, [loop.as, isSame], ['index', isSame]]) }
}

function compareBody(
  comparison: Comparison,
  { step, was, path }: ComparedStep,
  seenHere: SeenValues,
): boolean {
  switch (step.kind) {
    case 'uses':
      return compareUses(comparison, { step, was, path }, seenHere)
    case 'block': {
      const { isSame, seen } = step.turns
        ? compareTurns(comparison, { step, was, path }, step.turns, seenHere, compareList)
        : compareList(comparison, step.steps, path, seenHere)
      const cleanUp = { ...comparison, place: 'finally' as const }
      return compareAfter(cleanUp, step.finally, path, { ...seenHere, steps: seen }) && isSame
    }
    case 'parallel':
      return step.branches
        .map((branch) => compareList(comparison, [branch], path, seenHere).isSame)
        .every(Boolean)
    case 'choose':
      return compareChoose(comparison, { step, was, path }, seenHere, compareList)
  }
}

function compareUses(
  comparison: Comparison,
  { step, was: earlier, path }: ComparedStep<UsesStepPlan>,
  seenHere: SeenValues,
): boolean {
  const { done, after } = comparison
  const was = earlier?.kind === 'uses' ? earlier : undefined
  const sides = sidesOf(seenHere)
  // An earlier runbook may have had it, and not the last one.
  const sameness = samenessOf(comparison, was, step, path, sides)
  const child = childOf(step, after)
  if (child) {
    const sameInputs = sameness === 'same'
    return compareRunbook(comparison, child, path, {
      inputs: undefined,
      sameInputs,
      names: new Map(),
      steps: new Map(),
    })
  }
  comparison.calls.set(path, { step, sameness })
  const judgement = judgeStep(comparison, { step, was, path, sameness, sides })
  note(comparison, step, path, judgement ?? withoutCalls(comparison, was, path))
  if (!was || !isSameText(rulesOf(was), rulesOf(step))) return false
  switch (judgement?.fate) {
    case 'kept':
      return true
    case undefined:
    case 'reused':
      return sameness === 'same' && done.isWhole(path)
    default:
      return false
  }
}

/** Without changes a call asks for what it asked for, unless the run was changed before it came to it. */
function samenessOf(
  { isPlain, done }: Comparison,
  was: UsesStepPlan | undefined,
  step: UsesStepPlan,
  path: string,
  sides: Sides,
): Sameness {
  if (isPlain) return isPlain === 'unchanged' || done.hasBegun(path) ? 'same' : 'open'
  return was ? compareCalls(was, step, sides) : 'open'
}

/** A step that computes something, and calls no action. */
function withoutCalls({ done, isPlain }: Comparison, was: UsesStepPlan | undefined, path: string): Judgement {
  const fate: StepFate = was === undefined ? 'new' : done.hasEndedWell(path) ? 'again' : 'to-do'
  const why = isPlain ? withReason(fate, [done.countsOf(path, ''), done.whyTried(path)]) : { fate }
  return { reason: 'nothing is sent', ...why }
}

/** The steps that made calls and that the runbook no longer has. */
function noteRemoved(comparison: Comparison): void {
  const { earlier, today, done } = comparison
  for (const [path, step] of earlier) {
    if (today.has(path) || step.kind !== 'uses') continue
    if (done.calls(path, step.uses.action.name) > 0) note(comparison, step, path, { fate: 'removed' })
  }
}

/** Compares what identifies a call: its action, connection, secrets and arguments. */
function compareCalls({ uses: was }: UsesStepPlan, { uses: is }: UsesStepPlan, sides: Sides): Sameness {
  const fixed = ({ action, connection, secrets }: UsesStepPlan['uses']): JsonValue => ({
    action: action.name,
    connection: connection ?? null,
    secrets: (secrets ?? []).map(({ name, path }) => [name, ...path]),
  })
  if (!isSameJson(fixed(was), fixed(is))) return 'changed'
  if (!isSameText(was.listen, is.listen)) return 'changed'
  if (!isSameCondition(was.listen?.where, is.listen?.where, sides)) return 'open'
  return together([
    compareTemplates(was.with, is.with, sides),
    compareTemplates(was.saveAs, is.saveAs, sides),
  ])
}

/** The rules by which a step turns its calls into a result. */
function rulesOf({ uses, forEach }: UsesStepPlan): object {
  const { expect, repeat, tolerate } = uses
  return { expect, repeat, tolerate, forEach: forEach && { ...forEach, items: null } }
}
