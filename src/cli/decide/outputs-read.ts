import type { ActionDescription } from '../../core/action.ts'
import type { ExpressionTree } from '../../core/expressions/tree.ts'
import { type Reference, referencesIn } from '../../core/forecast/references.ts'
import { isJsonObject } from '../../core/json.ts'
import type { Plan, UsesStepPlan } from '../../core/plan.ts'

/**
 * The outputs of the action that later steps cannot do without: those that expressions read, unless `has` or `default`
 * stands before one.
 */
export function outputsRead(
  plan: Plan,
  step: UsesStepPlan,
  { output }: Pick<ActionDescription, 'output'>,
): readonly string[] {
  const plans = [plan, ...Object.values(plan.children ?? {})]
  const holder = plans.find(({ children: _, ...one }) => holds(one, step)) ?? plan
  const { children: _, ...own } = holder
  const found = readIn(own)
  const ofAction = readIn(step)
  const isOfAction = (reference: Reference): boolean => reference[0] === 'outputs'
  const reads = step.outputs
    ? ofAction.filter(isOfAction).map(([, ...rest]) => rest)
    : [
        ...ofAction.filter(isOfAction).map(([, ...rest]) => rest),
        ...found.flatMap(([root, id, part, ...rest]) =>
          root === 'steps' && id === step.id && part === 'outputs'
            ? [step.forEach ? ofItem(rest) : rest]
            : [],
        ),
      ]
  const required = Array.isArray(output['required']) ? output['required'].map(String) : []
  const known = isJsonObject(output['properties']) ? Object.keys(output['properties']) : []
  // Where all of them are read, it is enough to have those that every answer has.
  const names = reads.flatMap(([name]) =>
    name === undefined ? (step.forEach ? [] : required) : [String(name)],
  )
  return [...new Set(names)].filter((name) => known.includes(name))
}

/** Of what is read of a loop, what is read of one item. */
function ofItem([items, , part, ...rest]: readonly (string | number)[]): readonly (string | number)[] {
  return items === 'items' && part === 'outputs' ? rest : []
}

/** Every path that the expressions of a part of a plan read and that no guard names. */
function readIn(part: unknown): readonly Reference[] {
  const trees: ExpressionTree[] = []
  const guarded = new Set<string>()
  walk(part, (value) => {
    if ('source' in value && 'tree' in value) trees.push(value['tree'] as ExpressionTree)
    if ((value['kind'] === 'has' || value['kind'] === 'default') && 'of' in value)
      for (const path of referencesIn(value['of'] as ExpressionTree)) guarded.add(JSON.stringify(path))
  })
  return trees.flatMap((tree) => referencesIn(tree)).filter((path) => !guarded.has(JSON.stringify(path)))
}

function holds(part: unknown, step: object): boolean {
  let isFound = false
  walk(part, (value) => {
    isFound ||= value === step
  })
  return isFound
}

/** Calls back with every map in it. What a runbook writes out is data, and no part of the plan. */
function walk(part: unknown, visit: (value: Readonly<Record<string, unknown>>) => void): void {
  if (typeof part !== 'object' || part === null) return
  const value = part as Readonly<Record<string, unknown>>
  visit(value)
  if (value['kind'] !== 'literal') for (const inner of Object.values(value)) walk(inner, visit)
}
