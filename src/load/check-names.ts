import { childrenOf } from '../core/expressions/names.ts'
import type { ExpressionTree } from '../core/expressions/tree.ts'
import type { JsonSchema } from '../core/json.ts'
import { suggest } from '../core/nearest.ts'
import type { ExpressionProblem } from './parse-expression.ts'

/** What an expression can see at its place. */
export interface VisibleNames {
  /** `inputs`, `steps`, `run`, and what the place adds, such as `item`. */
  readonly roots: readonly string[]
  /** Ids of the steps before this one. */
  readonly steps: readonly string[]
  /** The `inputs` of the runbook. */
  readonly inputs: JsonSchema | undefined
}

/** The names in an expression that nothing stands behind. */
export function checkNames(tree: ExpressionTree, names: VisibleNames): readonly ExpressionProblem[] {
  switch (tree.kind) {
    case 'name':
      return checkRoot(tree, names)
    case 'member':
      return [...checkNames(tree.of, names), ...checkMember(tree.of, tree.name, tree, names)]
    case 'index': {
      const key = tree.index.kind === 'value' ? tree.index.value : undefined
      const member = typeof key === 'string' ? checkMember(tree.of, key, tree, names) : []
      return [...checkNames(tree.of, names), ...checkNames(tree.index, names), ...member]
    }
    case 'macro': {
      const inner = { ...names, roots: [...names.roots, tree.variable] }
      return [...checkNames(tree.of, names), ...checkNames(tree.body, inner)]
    }
    default:
      return childrenOf(tree).flatMap((child) => checkNames(child, names))
  }
}

function checkRoot(
  tree: ExpressionTree & { kind: 'name' },
  names: VisibleNames,
): readonly ExpressionProblem[] {
  if (names.roots.includes(tree.name)) return []
  const message = `there is no "${tree.name}" here`
  return [{ code: 'UNKNOWN_NAME', message, span: tree.span, hint: suggest(tree.name, names.roots) }]
}

function checkMember(
  holder: ExpressionTree,
  name: string,
  { span }: ExpressionTree,
  names: VisibleNames,
): readonly ExpressionProblem[] {
  if (holder.kind !== 'name') return []
  if (holder.name === 'steps' && !names.steps.includes(name)) {
    const hint = names.steps.length === 0 ? 'no step comes before this one' : suggest(name, names.steps)
    return [{ code: 'UNKNOWN_STEP', message: `no step "${name}" comes before this one`, span, hint }]
  }
  const declared = Object.keys((names.inputs?.['properties'] as object | undefined) ?? {})
  const isOpen =
    names.inputs?.['additionalProperties'] !== false && declared.length === 0 && names.inputs !== undefined
  if (holder.name === 'inputs' && !isOpen && !declared.includes(name)) {
    const hint = declared.length === 0 ? 'the runbook declares no inputs' : suggest(name, declared)
    return [{ code: 'UNKNOWN_INPUT', message: `there is no input "${name}"`, span, hint }]
  }
  return []
}
