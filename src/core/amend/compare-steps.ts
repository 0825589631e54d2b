import type { ActionDescription } from '../action.ts'
import { isSameJson } from '../canonical-text.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { CatchPlan, Plan, StepPlan, UsesStepPlan } from '../plan.ts'
import { catchPath } from '../steps/catch-path.ts'
import { actionName } from '../steps/step.ts'
import {
  compareTemplates,
  isSameCondition,
  isSameText,
  type Sameness,
  type Sides,
  together,
} from './compare-templates.ts'
import { type Place, sidesOf } from './compared-place.ts'
import type { DoneBefore } from './done-before.ts'
import { isWrite, judgeStep } from './judge-step.ts'
import { placedSteps } from './placed-steps.ts'
import type { WordBook } from './read-words.ts'
import type { StepComparison, StepFate } from './resume-comparison.ts'

/** What is compared. */
export interface ComparedRun {
  readonly before: Plan
  readonly after: Plan
  readonly inputsBefore: JsonObject
  readonly inputsAfter: JsonObject
  readonly words: WordBook
  readonly done: DoneBefore
  readonly actions: readonly Pick<ActionDescription, 'name' | 'isLocal'>[]
}

/** What the comparison of all steps came to. */
export interface ComparedSteps {
  readonly steps: readonly StepComparison[]
  /** The loops, by their paths, whose items stand where they stood. */
  readonly sameLoops: ReadonlySet<string>
}

/** Compares the steps of a run before and after an amendment. */
export function compareSteps(run: ComparedRun): ComparedSteps {
  const { before, after, words, done } = run
  const earlier = new Map(placedSteps(before).map((placed) => [placed.path, placed.step]))
  const today = new Map(placedSteps(after).map(({ path, step }) => [path, actionName(step)]))
  const local = new Set(run.actions.filter(({ isLocal }) => isLocal).map(({ name }) => name))
  const judged = { words, done, local, earlier, today }
  const steps: StepComparison[] = []
  const sameLoops = new Set<string>()

  const document = (plan: Plan, around: string, place: Place): boolean => {
    const worked = list(plan.steps, around, place)
    const isCaughtSame = handlers(plan.catch, around, { ...place, steps: worked.seen })
    const cleanUp = list(plan.finally ?? [], around, { ...place, steps: worked.seen })
    return worked.isSame && isCaughtSame && cleanUp.isSame
  }
  const list = (
    all: readonly StepPlan[],
    around: string,
    place: Place,
  ): { readonly isSame: boolean; readonly seen: ReadonlyMap<string, boolean> } => {
    const seen = new Map(place.steps)
    let isSame = true
    for (const step of all) {
      const isStepSame = one(step, around === '' ? step.id : `${around}/${step.id}`, {
        ...place,
        steps: seen,
      })
      seen.set(step.id, isStepSame)
      isSame &&= isStepSame
    }
    return { isSame, seen }
  }
  const handlers = (entries: readonly CatchPlan[] | undefined, around: string, place: Place): boolean => {
    const names = new Map([...place.names, ['error', false] as const])
    return (entries ?? [])
      .map(({ steps: caught }) => list(caught, around, { ...place, names }).isSame)
      .every(Boolean)
  }
  /** Whether the step comes to what it came to. */
  const one = (step: StepPlan, path: string, place: Place): boolean => {
    const was = earlier.get(path)
    const sides = sidesOf(place)
    const isWanted = isSameCondition(was?.if, step.if, sides)
    if (done.wasSkipped(path) && isWanted && was && !words.isSkipped(path)) {
      note(step, path, 'skipped', step.if ? { reason: step.if.source } : {})
      return true
    }
    const inner = insideLoop(step, was, path, place)
    const body = bodyOf(step, was, path, inner)
    const isCaughtSame = handlers(step.catch, catchPath(step, path), inner)
    const isOutputsSame =
      was !== undefined &&
      isSameText(was.outputs, step.outputs) &&
      was.continueOnError === step.continueOnError
    return body && isCaughtSame && isWanted && isOutputsSame && !words.isSkipped(path)
  }
  const insideLoop = (step: StepPlan, was: StepPlan | undefined, path: string, place: Place): Place => {
    if (!step.forEach) return place
    const items = compareTemplates(was?.forEach?.items, step.forEach.items, sidesOf(place))
    const isSame = items === 'same'
    if (isSame) sameLoops.add(path)
    return { ...place, names: new Map([...place.names, [step.forEach.as, isSame], ['index', isSame]]) }
  }
  const bodyOf = (step: StepPlan, was: StepPlan | undefined, path: string, place: Place): boolean => {
    switch (step.kind) {
      case 'uses':
        return usesOf(step, was?.kind === 'uses' ? was : undefined, path, place)
      case 'block': {
        const worked = list(step.steps, path, place)
        return list(step.finally ?? [], path, { ...place, steps: worked.seen }).isSame && worked.isSame
      }
      case 'parallel':
        return step.branches.map((branch) => list([branch], path, place).isSame).every(Boolean)
    }
  }
  const usesOf = (step: UsesStepPlan, was: UsesStepPlan | undefined, path: string, place: Place): boolean => {
    const { uses } = step
    // An earlier runbook may have had it, and not the last one.
    const sameness = was ? compareUses(was, step, sidesOf(place)) : 'open'
    const child = after.children?.[uses.runbook ?? '']
    if (child) {
      const inputs = { inputs: undefined, sameInputs: sameness === 'same' }
      return document(child, path, { ...inputs, names: new Map(), steps: new Map() })
    }
    const isSameRule = was !== undefined && isSameText(rulesOf(was), rulesOf(step))
    const fate = judgeStep(judged, { step, was, path, sameness, sides: sidesOf(place) })
    if (fate) note(step, path, fate.fate, fate)
    // What a runbook does that another one runs is told of step by step.
    else note(step, path, arithmeticFate(was, path), { reason: 'nothing is sent' })
    if (fate?.fate === 'kept') return isSameRule
    return isSameRule && sameness === 'same' && (!fate || fate.fate === 'reused') && done.isWhole(path)
  }
  const arithmeticFate = (was: UsesStepPlan | undefined, path: string): StepFate => {
    if (!was) return 'new'
    return done.hasEndedWell(path) ? 'again' : 'to-do'
  }
  const note = (
    step: StepPlan,
    path: string,
    fate: StepFate,
    { reason }: { readonly reason?: string } = {},
  ): void => {
    const action = actionName(step)
    steps.push({
      path,
      action,
      is_write: step.kind === 'uses' && isWrite(step, local),
      fate,
      ...(reason === undefined ? {} : { reason }),
      done: done.calls(path, action),
    })
  }

  const inputs = { before: run.inputsBefore, after: run.inputsAfter }
  document(after, '', { inputs, sameInputs: false, names: new Map(), steps: new Map() })
  for (const [path, step] of earlier) {
    if (today.has(path) || step.kind !== 'uses') continue
    if (done.calls(path, step.uses.action.name) > 0) note(step, path, 'removed')
  }
  return { steps, sameLoops }
}

/** What a call is recognised by. */
function compareUses({ uses: was }: UsesStepPlan, { uses: is }: UsesStepPlan, sides: Sides): Sameness {
  const fixed = ({ action, connection, secrets }: UsesStepPlan['uses']): JsonValue => ({
    action: action.name,
    connection: connection ?? null,
    secrets: (secrets ?? []).map(({ name, path }) => [name, ...path]),
  })
  if (!isSameJson(fixed(was), fixed(is))) return 'changed'
  return together([
    compareTemplates(was.with, is.with, sides),
    compareTemplates(was.saveAs, is.saveAs, sides),
  ])
}

/** What decides on what a step makes of its calls. */
function rulesOf({ uses, forEach }: UsesStepPlan): object {
  const { expect, repeat, tolerate } = uses
  return { expect, repeat, tolerate, forEach: forEach && { ...forEach, items: null } }
}
