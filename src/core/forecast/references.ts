import { childrenOf } from '../expressions/names.ts'
import type { ExpressionTree, Template } from '../expressions/tree.ts'

/** A path that an expression reads, from a name at its root, as far as it is written out: `steps`, `a`, `outputs`. */
export type Reference = readonly [root: string, ...path: (string | number)[]]

/** Every path that the expressions of a template read. Names that a macro binds are not among them. */
export function referencesOf(template: Template): readonly Reference[] {
  switch (template.kind) {
    case 'literal':
      return []
    case 'expression':
      return referencesIn(template.expression.tree)
    case 'text':
      return template.parts.flatMap((part) => (typeof part === 'string' ? [] : referencesIn(part.tree)))
    case 'list':
      return template.items.flatMap(referencesOf)
    case 'object':
      return template.entries.flatMap(([, value]) => referencesOf(value))
  }
}

/** Every path that an expression reads. */
export function referencesIn(tree: ExpressionTree, bound: readonly string[] = []): readonly Reference[] {
  const path = pathOf(tree)
  if (path !== undefined) return bound.includes(path[0]) ? [] : [path]
  if (tree.kind === 'macro') {
    return [...referencesIn(tree.of, bound), ...referencesIn(tree.body, [...bound, tree.variable])]
  }
  return childrenOf(tree).flatMap((child) => referencesIn(child, bound))
}

/** The path a tree stands for, or undefined where it is more than a path. */
function pathOf(tree: ExpressionTree): Reference | undefined {
  if (tree.kind === 'name') return [tree.name]
  if (tree.kind !== 'member' && tree.kind !== 'index') return undefined
  const holder = pathOf(tree.of)
  if (holder === undefined) return undefined
  if (tree.kind === 'member') return [...holder, tree.name]
  const key = tree.index.kind === 'value' ? tree.index.value : undefined
  return typeof key === 'string' || typeof key === 'number' ? [...holder, key] : undefined
}

/** Such as `steps.tools.outputs.tools[0]`. */
export function formatReference([root, ...path]: Reference): string {
  return root + path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
}
