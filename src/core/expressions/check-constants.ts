import type { JsonValue } from '../json.ts'
import type { CheckProblem } from './checker.ts'
import { tryWithoutNames } from './evaluate.ts'
import { childrenOf } from './references.ts'
import type { Expression, ExpressionTree } from './tree.ts'

/**
 * What fails whenever it is evaluated: the largest parts of an expression that read no name are evaluated once. No
 * function reads anything but its arguments, so a run would get the same result. Parts that no evaluation reaches, such as
 * the second one of `true || …`, are left out: a run never gets there.
 */
export function checkConstants({ source, tree }: Expression): readonly CheckProblem[] {
  return constantParts(source, tree).flatMap((part) => {
    const { failure } = tryWithoutNames({ source, tree: part })
    return failure ? [{ code: 'ALWAYS_FAILS' as const, ...failure }] : []
  })
}

/** Whether a condition is true, or false, whatever its names stand for. Undefined: that depends on them. */
export function truthOf({ source, tree }: Expression): boolean | undefined {
  return createWalk(source).look(tree, false, true).truth
}

/** What is known of a part of an expression. */
interface Facts {
  /** The names that it reads. */
  readonly names: ReadonlySet<string>
  /** Its value where that is true or false whatever its names stand for. Only of a part that decides what is reached. */
  readonly truth: boolean | undefined
}

/** The largest parts that read no name, but literals, what `has` and `default` may find missing, and what is not reached. */
function constantParts(source: string, whole: ExpressionTree): readonly ExpressionTree[] {
  const { look, found } = createWalk(source)
  return look(whole, true, false).names.size === 0 && whole.kind !== 'value' ? [whole] : found
}

/** Walks through an expression once, and gathers what {@link constantParts} finds. */
function createWalk(source: string): {
  /** `isKept`: what is found inside counts. `isAsked`: whether its truth is needed. */
  readonly look: (tree: ExpressionTree, isKept: boolean, isAsked: boolean) => Facts
  readonly found: readonly ExpressionTree[]
} {
  const found: ExpressionTree[] = []
  const constantOf = (tree: ExpressionTree): JsonValue | undefined => tryWithoutNames({ source, tree }).value

  const look = (tree: ExpressionTree, isKept: boolean, isAsked: boolean): Facts => {
    if (tree.kind === 'name') return { names: new Set([tree.name]), truth: undefined }
    const [first, ...others] = childrenOf(tree)
    if (first === undefined)
      return { names: new Set(), truth: isAsked ? asTruth(constantOf(tree)) : undefined }
    const decides = tree.kind === 'and' || tree.kind === 'or' || tree.kind === 'conditional'
    const isAskedBelow = decides || (isAsked && tree.kind === 'not')
    const head = look(first, isKept && !mayBeMissing(tree, first), isAskedBelow)
    const isReached = (part: ExpressionTree): boolean =>
      part === first || !isSkipped(tree, part, head, () => constantOf(tree) !== undefined)
    const rest = others.map((part) => look(part, isKept && isReached(part), isAsked && decides))
    const parts = [first, ...others].map((part, index) => ({ part, ...(rest[index - 1] ?? head) }))
    const names = new Set(
      parts.flatMap((one) => [...one.names].filter((name) => !isBound(tree, one.part, name))),
    )
    if (names.size > 0 && isKept)
      for (const { part, names: own } of parts)
        if (own.size === 0 && part.kind !== 'value' && !mayBeMissing(tree, part) && isReached(part))
          found.push(part)
    if (!isAsked) return { names, truth: undefined }
    if (decides || tree.kind === 'not') return { names, truth: decided(tree, head.truth, rest) }
    return { names, truth: names.size === 0 ? asTruth(constantOf(tree)) : undefined }
  }
  return { look, found }
}

/** Whether evaluation never reaches a part behind the first one, whatever the names stand for. */
function isSkipped(
  tree: ExpressionTree,
  part: ExpressionTree,
  head: Facts,
  hasValue: () => boolean,
): boolean {
  switch (tree.kind) {
    case 'and':
      return head.truth === false
    case 'or':
      return head.truth === true
    case 'conditional':
      return head.truth === (part === tree.whenFalse)
    case 'default':
    case 'macro':
      // It gets along without the names that only the other parts read.
      return head.names.size === 0 && hasValue()
    default:
      return false
  }
}

/** The truth of a part, from those of its parts. */
function decided(
  { kind }: ExpressionTree,
  first: boolean | undefined,
  [second, third]: readonly Facts[],
): boolean | undefined {
  if (kind === 'not') return first === undefined ? undefined : !first
  if (kind === 'conditional') {
    if (first !== undefined) return first ? second?.truth : third?.truth
    return second?.truth === third?.truth ? second?.truth : undefined
  }
  // One side is enough: `x && false` is never true.
  const enough = kind === 'or'
  if (first === enough || second?.truth === enough) return enough
  return first === undefined || second?.truth === undefined ? undefined : !enough
}

function asTruth(value: JsonValue | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

/** Whether the name is the variable of a macro, in what is evaluated for each item. */
function isBound(tree: ExpressionTree, part: ExpressionTree | undefined, name: string): boolean {
  return tree.kind === 'macro' && part !== tree.of && name === tree.variable
}

function mayBeMissing(tree: ExpressionTree, part: ExpressionTree): boolean {
  return (tree.kind === 'has' || tree.kind === 'default') && part === tree.of
}
