import type { ExpressionTree } from './tree.ts'

/** The direct parts of a node. */
export function childrenOf(tree: ExpressionTree): readonly ExpressionTree[] {
  switch (tree.kind) {
    case 'value':
    case 'name':
      return []
    case 'list':
      return tree.items
    case 'map':
      return tree.entries.flat()
    case 'member':
    case 'not':
    case 'negate':
    case 'has':
      return [tree.of]
    case 'index':
      return [tree.of, tree.index]
    case 'and':
    case 'or':
    case 'binary':
      return [tree.left, tree.right]
    case 'conditional':
      return [tree.condition, tree.whenTrue, tree.whenFalse]
    case 'call':
      return tree.arguments
    case 'macro':
      return [tree.of, tree.body]
    case 'default':
      return [tree.of, tree.otherwise]
  }
}
