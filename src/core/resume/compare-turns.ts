import { type Reference, referencesIn } from '../expressions/references.ts'
import type { Expression } from '../expressions/tree.ts'
import type { BlockStepPlan, StepPlan, TurnsPlan } from '../plan/plan.ts'
import { caughtSteps, innerSteps } from '../plan/plan-walk.ts'
import { compareTemplates, isSameText, type SeenValues, sidesOf } from './compare-templates.ts'
import type { ComparedStep, CompareList, Comparison } from './comparison.ts'
import type { StepComparison } from './resume-comparison.ts'

/**
 * Compares a block that is repeated. The turns of before count as they are where nothing in the block has changed, and
 * nothing of it is made again: else any turn can hand on other values than it did.
 */
export function compareTurns(
  comparison: Comparison,
  { step, was, path }: ComparedStep<BlockStepPlan>,
  turns: TurnsPlan,
  seenHere: SeenValues,
  compareList: CompareList,
): ReturnType<CompareList> {
  const before = was?.kind === 'block' ? was : undefined
  const sides = sidesOf(seenHere)
  const own = new Set(step.steps.flatMap(everyId))
  const isSameOutside = ([root, ...rest]: Reference): boolean => {
    if (root === 'steps') return own.has(String(rest[0])) || sides.isSame([root, ...rest])
    const isOutside = root === 'inputs' || root === 'run' || seenHere.names.has(root)
    return !isOutside || sides.isSame([root, ...rest])
  }
  const isUnchanged =
    comparison.isPlain !== undefined ||
    (before?.turns !== undefined &&
      compareTemplates(before.turns.with, turns.with, sides) === 'same' &&
      isSameText(bodyOf(before, before.turns), bodyOf(step, turns)) &&
      expressionsIn(bodyOf(step, turns)).every(({ tree }) => referencesIn(tree).every(isSameOutside)))
  const compare = (isTurnSame: boolean): ReturnType<CompareList> => {
    const names = new Map([...seenHere.names, ['turn', isTurnSame]] as const)
    return compareList(comparison, step.steps, path, { ...seenHere, names })
  }
  const listed = comparison.steps.length
  if (isUnchanged) {
    const compared = compare(true)
    if (comparison.isPlain || comparison.steps.slice(listed).every(givesTheSame)) {
      comparison.sameLoops.add(path)
      return compared
    }
    comparison.steps.length = listed
  }
  return { ...compare(false), isSame: false }
}

/** What was not done yet changes nothing of what was. */
function givesTheSame({ fate, reason }: StepComparison): boolean {
  return fate === 'reused' || fate === 'to-do' || fate === 'skipped' || reason === 'nothing is sent'
}

/** What decides what the turns hand on. */
function bodyOf({ steps }: BlockStepPlan, { next, until, collect }: TurnsPlan): object {
  return { steps, next, until, collect }
}

function everyId(step: StepPlan): readonly string[] {
  return [step.id, ...[...innerSteps(step), ...caughtSteps(step)].flatMap(everyId)]
}

/** Every expression in a part of a plan. Literal values are data. */
function expressionsIn(part: unknown): readonly Expression[] {
  if (typeof part !== 'object' || part === null) return []
  if ('source' in part && 'tree' in part) return [part as Expression]
  const isData = 'kind' in part && part.kind === 'literal'
  return isData ? [] : Object.values(part).flatMap(expressionsIn)
}
