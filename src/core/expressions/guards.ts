import type { ExpressionTree } from './tree.ts'

/** The path a tree stands for, such as `steps.checks.outputs`, or undefined where it is no plain path. */
export function pathOf(tree: ExpressionTree): string | undefined {
  if (tree.kind === 'name') return tree.name
  if (tree.kind !== 'member' && tree.kind !== 'index') return undefined
  const holder = pathOf(tree.of)
  if (holder === undefined) return undefined
  if (tree.kind === 'member') return `${holder}.${tree.name}`
  if (tree.index.kind !== 'value') return undefined
  const { value } = tree.index
  return typeof value === 'string' ? `${holder}.${value}` : `${holder}[${String(value)}]`
}

/**
 * The paths that are there whenever a condition is true: those of its `has(…)`, all that lead to them, and the
 * outputs of a step whose status it compares with `succeeded`.
 */
export function guardsOf(condition: ExpressionTree): readonly string[] {
  if (condition.kind === 'and') return [...guardsOf(condition.left), ...guardsOf(condition.right)]
  if (condition.kind === 'has') return withHolders(condition.of)
  if (condition.kind !== 'binary' || condition.operator !== '==') return []
  const { left, right } = condition
  const compared = left.kind === 'value' ? right : left
  const value = left.kind === 'value' ? left.value : right.kind === 'value' ? right.value : undefined
  const isSuccess = value === 'succeeded' && compared.kind === 'member' && compared.name === 'status'
  const step = isSuccess ? pathOf(compared.of) : undefined
  return step === undefined ? [] : [step, `${step}.status`, `${step}.outputs`]
}

function withHolders(tree: ExpressionTree): readonly string[] {
  const path = pathOf(tree)
  const own = path === undefined ? [] : [path]
  return tree.kind === 'member' || tree.kind === 'index' ? [...own, ...withHolders(tree.of)] : own
}
