import type { ActionDescription } from '../action.ts'
import type { Plan, StepPlan, UsesPlan } from '../plan.ts'
import { type Reference, referencesOf } from './references.ts'
import { partsAt } from './template-parts.ts'

/** Which paths a name stands for: that of an item, or that of a step which hands values on. */
type Aliases = ReadonlyMap<string, readonly Reference[]>

/** The paths whose values flow into sensitive arguments: inputs among them are not shown either. */
export function hiddenReferences(
  plan: Plan,
  actions: ReadonlyMap<string, ActionDescription>,
  children: Readonly<Record<string, Plan>>,
): readonly Reference[] {
  const found: Reference[] = []
  // Steps hand values on to steps that come after them: one list in the order of the file is enough.
  const aliases = new Map<string, readonly Reference[]>()
  const visit = (step: StepPlan): void => {
    if (step.forEach) aliases.set(step.forEach.as, resolve(referencesOf(step.forEach.items), aliases))
    if (step.kind === 'parallel') visitAll(step.branches)
    else if (step.kind === 'block') visitAll([...step.steps, ...(step.finally ?? [])])
    else {
      for (const pattern of sensitivePaths(step.uses)) {
        found.push(...resolve(partsAt(step.uses.with, pattern).flatMap(referencesOf), aliases))
      }
    }
    for (const caught of step.catch ?? []) visitAll(caught.steps)
    aliases.set(`steps.${step.id}`, resolve(handedOn(step), aliases))
  }
  /** Of a runbook that is run: the inputs that end up in sensitive arguments there. */
  const sensitivePaths = ({ action, runbook = '' }: UsesPlan): readonly (readonly string[])[] => {
    const child = children[runbook]
    const own = (actions.get(action.name)?.sensitiveInput ?? []).map((pattern) => pattern.split('.'))
    const inner = child === undefined ? [] : hiddenReferences(child, actions, children)
    return [...own, ...inner.map((reference) => reference.map(String))]
  }
  const visitAll = (steps: readonly StepPlan[]): void => {
    for (const step of steps) visit(step)
  }
  visitAll([...plan.steps, ...(plan.finally ?? []), ...(plan.catch ?? []).flatMap(({ steps }) => steps)])
  return found
}

/** What the outputs of a step are made of, where they are made of values and not of answers. */
function handedOn(step: StepPlan): readonly Reference[] {
  const own = step.outputs === undefined ? [] : referencesOf(step.outputs)
  const isSet = step.kind === 'uses' && step.uses.action.name === 'core/set'
  return isSet ? [...own, ...referencesOf(step.uses.with)] : own
}

/** The paths, and all that stand behind them. */
function resolve(references: readonly Reference[], aliases: Aliases): readonly Reference[] {
  return references.flatMap((reference) => [
    reference,
    ...(aliases.get(reference[0] === 'steps' ? `steps.${reference[1]}` : reference[0]) ?? []),
  ])
}
