import { checkExpression, type Expression, type ExpressionTree } from '../../core/expressions/index.ts'
import type { JsonPath, JsonValue } from '../../core/json.ts'
import type { ChoicePlan } from '../../core/plan/index.ts'
import type { CompileContext } from './context.ts'
import { namesOf, type TypeScope } from './scope.ts'

/**
 * Warns of branches that can never run after those before them, and of listed values that no branch is for. Judged are
 * literal conditions, and comparisons of one expression with literals. Others can always be true.
 */
export function checkBranches(
  { source }: CompileContext,
  choices: readonly ChoicePlan[],
  path: JsonPath,
  scope: TypeScope,
): void {
  const taken = new Map<string, Set<string>>()
  const texts = new Set<string>()
  let isOver = false
  for (const [index, { when }] of choices.entries()) {
    const values = when && valuesFor(when)
    const covered = values && taken.get(values.of)
    const isTaken = values?.wanted.every((value) => covered?.has(JSON.stringify(value))) === true
    if (isOver || isFalse(when) || isTaken || (when && texts.has(when.source))) {
      const reason = isFalse(when) ? 'its condition is never true' : 'the branches before it take every case'
      source.warn(
        'NO_EFFECT',
        [...path, index, ...(when ? ['when'] : [])],
        `branch ${index} never runs: ${reason}`,
      )
    }
    isOver ||= isTrue(when)
    if (when) texts.add(when.source)
    if (!values) continue
    const all = taken.get(values.of) ?? new Set()
    for (const value of values.wanted) all.add(JSON.stringify(value))
    taken.set(values.of, all)
    const listed = listedValues(values.tree, scope)
    isOver ||= listed?.every((value) => all.has(JSON.stringify(value))) === true
  }
  if (isOver || choices.at(-1)?.when === undefined) return
  const left = valuesLeft(choices, taken, scope)
  if (left.length === 0) return
  const names = left.map((value) => JSON.stringify(value)).join(', ')
  const message = `no branch is for ${names}: the step is skipped then`
  const hint = 'a last branch without "when" takes everything else; "steps: []" does nothing'
  source.warn('UNCOVERED_VALUE', path, message, hint)
}

/** The listed values without a branch, where all branches compare the same expression. */
function valuesLeft(
  choices: readonly ChoicePlan[],
  taken: ReadonlyMap<string, ReadonlySet<string>>,
  scope: TypeScope,
): readonly JsonValue[] {
  const all = choices.map(({ when }) => when && valuesFor(when))
  const [first] = all
  if (!first || all.some((one) => one?.of !== first.of)) return []
  const covered = taken.get(first.of)
  return (listedValues(first.tree, scope) ?? []).filter((value) => !covered?.has(JSON.stringify(value)))
}

function isTrue(when: Expression | undefined): boolean {
  return when?.tree.kind === 'value' && when.tree.value === true
}

function isFalse(when: Expression | undefined): boolean {
  return when?.tree.kind === 'value' && when.tree.value === false
}

/** A condition that is true for these values of an expression, and for no others. */
interface WantedValues {
  /** The expression as it is written. */
  readonly of: string
  readonly tree: ExpressionTree
  readonly wanted: readonly JsonValue[]
}

function valuesFor({ source, tree }: Expression): WantedValues | undefined {
  const of = (compared: ExpressionTree, wanted: readonly JsonValue[]): WantedValues => ({
    of: source.slice(...compared.span),
    tree: compared,
    wanted,
  })
  const visit = (part: ExpressionTree): WantedValues | undefined => {
    if (part.kind === 'or') {
      const [left, right] = [visit(part.left), visit(part.right)]
      return left && right && left.of === right.of
        ? { ...left, wanted: [...left.wanted, ...right.wanted] }
        : undefined
    }
    if (part.kind !== 'binary') return undefined
    const { operator, left, right } = part
    if (operator === '==' && right.kind === 'value') return of(left, [right.value])
    if (operator === '==' && left.kind === 'value') return of(right, [left.value])
    if (operator !== 'in' || right.kind !== 'list') return undefined
    const values = right.items.flatMap((item) => (item.kind === 'value' ? [item.value] : []))
    return values.length === right.items.length ? of(left, values) : undefined
  }
  return visit(tree)
}

/** The values that an expression can have, where its type lists them. */
function listedValues(tree: ExpressionTree, scope: TypeScope): readonly JsonValue[] | undefined {
  return checkExpression(tree, namesOf(scope)).type.values
}
