import { childrenOf } from './names.ts'
import type { ExpressionTree } from './tree.ts'

/** How many nodes one pass visits. The body of a macro counts at each of its turns, not here. */
export function weigh(tree: ExpressionTree): number {
  const parts = tree.kind === 'macro' ? [tree.of] : childrenOf(tree)
  return parts.reduce((sum, part) => sum + weigh(part), 1)
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
