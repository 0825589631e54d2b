import type { CheckProblem } from './checker.ts'
import { failureOf } from './evaluate.ts'
import { childrenOf } from './references.ts'
import type { Expression, ExpressionTree } from './tree.ts'

/**
 * What fails whenever it is evaluated: the largest parts of an expression that read no name are evaluated once. No
 * function reads anything but its arguments, so a run would get the same result.
 */
export function checkConstants({ source, tree }: Expression): readonly CheckProblem[] {
  return constantParts(tree).flatMap((part) => {
    const failure = failureOf({ source, tree: part })
    return failure ? [{ code: 'ALWAYS_FAILS' as const, ...failure }] : []
  })
}

/** The largest parts that read no name, but literals and what `has` and `default` may find missing. */
function constantParts(whole: ExpressionTree): readonly ExpressionTree[] {
  const found: ExpressionTree[] = []
  /** The names that a part reads. */
  const visit = (tree: ExpressionTree, isKept: boolean): ReadonlySet<string> => {
    if (tree.kind === 'name') return new Set([tree.name])
    const parts = childrenOf(tree)
    const names = parts.map((part) => visit(part, isKept && !mayBeMissing(tree, part)))
    const all = new Set(
      names.flatMap((some, index) => [...some].filter((name) => !isBound(tree, parts[index], name))),
    )
    if (all.size > 0 && isKept)
      for (const [index, part] of parts.entries())
        if (names[index]?.size === 0 && part.kind !== 'value' && !mayBeMissing(tree, part)) found.push(part)
    return all
  }
  return visit(whole, true).size === 0 && whole.kind !== 'value' ? [whole] : found
}

/** Whether the name is the variable of a macro, in what is evaluated for each item. */
function isBound(tree: ExpressionTree, part: ExpressionTree | undefined, name: string): boolean {
  return tree.kind === 'macro' && part !== tree.of && name === tree.variable
}

function mayBeMissing(tree: ExpressionTree, part: ExpressionTree): boolean {
  return (tree.kind === 'has' || tree.kind === 'default') && part === tree.of
}
