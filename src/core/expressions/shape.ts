import { childrenOf } from './names.ts'
import type { ExpressionTree } from './tree.ts'

/** How many nodes one pass visits. The body of a macro counts at each of its turns, not here. */
export function weigh(tree: ExpressionTree): number {
  const parts = tree.kind === 'macro' ? [tree.of] : childrenOf(tree)
  return parts.reduce((sum, part) => sum + weigh(part), 1)
}

/** How many macros stand inside one another: in the body, for what a macro is called on does not see its variable. */
export function variableDepth(tree: ExpressionTree): number {
  if (tree.kind === 'macro') return Math.max(variableDepth(tree.of), 1 + variableDepth(tree.body))
  return childrenOf(tree).reduce((most, part) => Math.max(most, variableDepth(part)), 0)
}

/** Whether the value can hold one part of the scope several times, and so be larger than what it is made of. */
export function canMultiply(tree: ExpressionTree): boolean {
  switch (tree.kind) {
    case 'list':
    case 'map':
      return true
    case 'binary':
      return tree.operator === '+'
    case 'macro':
      return tree.macro === 'map' || (tree.macro === 'filter' && canMultiply(tree.of))
    case 'member':
    case 'index':
      return canMultiply(tree.of)
    case 'default':
      return canMultiply(tree.of) || canMultiply(tree.otherwise)
    case 'conditional':
      return canMultiply(tree.whenTrue) || canMultiply(tree.whenFalse)
    case 'call':
      return tree.arguments.some(canMultiply)
    default:
      return false
  }
}
