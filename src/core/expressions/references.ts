import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { Expression, ExpressionTree, Template } from './tree.ts'

/** A path that an expression reads, from a name at its root, as far as it is written out: `steps`, `a`, `outputs`. */
export type Reference = readonly [root: string, ...path: (string | number)[]]

/** Every path that the expressions of a template read. Names that a macro binds are not among them. */
export function referencesOf(template: Template): readonly Reference[] {
  const earlier = known.get(template)
  if (earlier) return earlier
  const found = findReferences(template)
  known.set(template, found)
  return found
}

/** A template is asked for each time that its step runs, and never changes. */
const known = new WeakMap<Template, readonly Reference[]>()

function findReferences(template: Template): readonly Reference[] {
  switch (template.kind) {
    case 'literal':
      return []
    case 'expression':
      return referencesIn(template.expression.tree)
    case 'text':
      return template.parts.flatMap((part) => (typeof part === 'string' ? [] : referencesIn(part.tree)))
    case 'list':
      return template.items.flatMap(findReferences)
    case 'object':
      return template.entries.flatMap(([, value]) => findReferences(value))
  }
}

/** Every path that an expression reads. */
export function referencesIn(tree: ExpressionTree, bound: readonly string[] = []): readonly Reference[] {
  const path = pathOf(tree)
  if (path !== undefined) return bound.includes(path[0]) ? [] : [path]
  if (tree.kind === 'macro') {
    const inner = [...bound, tree.variable]
    return [tree.of, ...partsForItems(tree)].flatMap((part) =>
      referencesIn(part, part === tree.of ? bound : inner),
    )
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

/** The value that a path leads to, or undefined where it leads nowhere. */
export function lookUp(reference: Reference, scope: JsonObject): JsonValue | undefined {
  let value: JsonValue | undefined = scope
  for (const part of reference) {
    if (Array.isArray(value)) value = (value as readonly JsonValue[])[Number(part)]
    else value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
  }
  return value
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
      return [tree.of, ...partsForItems(tree)]
    case 'default':
      return [tree.of, tree.otherwise]
  }
}

/** The single values that a condition read, by their paths: they say why it was not true. */
export function valuesRead({ tree }: Pick<Expression, 'tree'>, scope: JsonObject): JsonObject {
  return Object.fromEntries(
    referencesIn(tree).flatMap((reference) => {
      const value = lookUp(reference, scope)
      const isSingle = value !== undefined && (typeof value !== 'object' || value === null)
      return isSingle ? [[formatReference(reference), value] as const] : []
    }),
  )
}

/** What a macro evaluates for each item. */
function partsForItems({
  body,
  value,
}: ExpressionTree & { readonly kind: 'macro' }): readonly ExpressionTree[] {
  return value === undefined ? [body] : [body, value]
}
