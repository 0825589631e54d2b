import type { ExpressionTree, Template } from './tree.ts'

/** The names at the roots of a template's expressions: what it depends on. Names that a macro binds are not among them. */
export function rootNames(template: Template): ReadonlySet<string> {
  const names = new Set<string>()
  collectTemplate(template, names)
  return names
}

function collectTemplate(template: Template, names: Set<string>): void {
  switch (template.kind) {
    case 'literal':
      return
    case 'expression':
      collect(template.expression.tree, [], names)
      return
    case 'text':
      for (const part of template.parts) if (typeof part !== 'string') collect(part.tree, [], names)
      return
    case 'list':
      for (const item of template.items) collectTemplate(item, names)
      return
    case 'object':
      for (const [, value] of template.entries) collectTemplate(value, names)
  }
}

function collect(tree: ExpressionTree, bound: readonly string[], names: Set<string>): void {
  if (tree.kind === 'name') {
    if (!bound.includes(tree.name)) names.add(tree.name)
  } else if (tree.kind === 'macro') {
    collect(tree.of, bound, names)
    collect(tree.body, [...bound, tree.variable], names)
  } else for (const child of childrenOf(tree)) collect(child, bound, names)
}

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
