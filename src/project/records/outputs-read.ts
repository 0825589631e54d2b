import type { ActionDescription } from '../../core/action.ts'
import { type ExpressionTree, type Reference, referencesIn } from '../../core/expressions/index.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { Plan, UsesStepPlan } from '../../core/plan/index.ts'
import { suggest } from '../../core/text/index.ts'

/**
 * The outputs of the action that later steps need: those that expressions read, except inside `has` or `default`.
 */
export function outputsRead(
  plan: Plan,
  step: UsesStepPlan,
  { output }: Pick<ActionDescription, 'output'>,
): readonly string[] {
  const reads = readsOf(plan, step)
  const required = Array.isArray(output['required']) ? output['required'].map(String) : []
  const known = isJsonObject(output['properties']) ? Object.keys(output['properties']) : []
  // An expression that reads the whole answer needs only the outputs that every answer has.
  const names = reads.flatMap(([name]) =>
    name === undefined ? (step.forEach ? [] : required) : [String(name)],
  )
  return [...new Set(names)].filter((name) => known.includes(name))
}

/** Whether later steps read the answer of the action. Counts and the status of items are not part of it. */
export function isAnswerRead(plan: Plan, step: UsesStepPlan): boolean {
  return readsOf(plan, step).length > 0
}

type AnswerPath = readonly (string | number)[]

/** What expressions read of one answer, as paths in it. An empty path is the whole answer. */
function readsOf(plan: Plan, step: UsesStepPlan): readonly AnswerPath[] {
  const plans = [plan, ...Object.values(plan.children ?? {})]
  const holder = plans.find(({ children: _, ...one }) => holds(one, step)) ?? plan
  const { children: _, ...own } = holder
  const ofAction: readonly AnswerPath[] = readIn(step).flatMap(([root, ...rest]): AnswerPath[] =>
    root === 'outputs' ? [rest] : [],
  )
  if (step.outputs) return ofAction
  const later: readonly AnswerPath[] = readIn(own).flatMap(
    ([root, id, part, ...rest]): readonly AnswerPath[] =>
      root === 'steps' && id === step.id && part === 'outputs' ? (step.forEach ? ofItem(rest) : [rest]) : [],
  )
  return [...ofAction, ...later]
}

/** Maps a path in the outputs of a loop to the paths in the answer of one item. */
function ofItem([part, ...rest]: AnswerPath): readonly AnswerPath[] {
  if (part === undefined) return [[]]
  if (part !== 'items') return []
  const [, ofOne, ...more] = rest
  if (ofOne === undefined) return [[]]
  return ofOne === 'outputs' ? [more] : []
}

/** Every path that expressions in a part of a plan read without a guard (`has`, `default`). */
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

/** Visits every map in a part of a plan. Literal values are data, and are not visited. */
function walk(part: unknown, visit: (value: Readonly<Record<string, unknown>>) => void): void {
  if (typeof part !== 'object' || part === null) return
  const value = part as Readonly<Record<string, unknown>>
  visit(value)
  if (value['kind'] !== 'literal') for (const inner of Object.values(value)) walk(inner, visit)
}

/** The names in outputs that the action does not answer, each with a sentence about it. None where it names no outputs. */
export function unknownOutputs(
  outputs: JsonObject,
  { output }: Pick<ActionDescription, 'output'>,
): readonly { readonly name: string; readonly problem: string }[] {
  const known = isJsonObject(output['properties']) ? Object.keys(output['properties']) : []
  if (known.length === 0) return []
  return Object.keys(outputs)
    .filter((name) => !known.includes(name))
    .map((name) => ({ name, problem: `there is no "${name}"; ${suggest(name, known)}` }))
}
