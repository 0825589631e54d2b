import type { ExpressionTree, SourceSpan } from './tree.ts'
import type { Kind, ValueType } from './value-type.ts'

/** Something that cannot work, or can never be what the author means. */
export interface CheckProblem {
  readonly code:
    | 'UNKNOWN_NAME'
    | 'UNKNOWN_STEP'
    | 'UNKNOWN_INPUT'
    | 'UNKNOWN_FIELD'
    | 'MISSING_GUARD'
    | 'WRONG_KIND'
    | 'WRONG_VALUE'
    | 'NEVER_EQUAL'
    | 'ALWAYS_FAILS'
    | 'DUPLICATE_KEY'
    | 'MISPLACED_SECRET'
  readonly message: string
  readonly span: SourceSpan
  readonly hint?: string
}

/** What an expression can see: the type of each name. `guarded`: paths that are known to be there. */
export interface Names {
  readonly types: Readonly<Record<string, ValueType>>
  readonly guarded: ReadonlySet<string>
  /** The whole path that is read, while the checker is at a part of it. */
  readonly read?: string | undefined
}

/** What the checks of the different kinds of nodes share. */
export interface Checker {
  /** The type of a node; its problems are reported. */
  visit(tree: ExpressionTree, names: Names): ValueType
  /** The type of a node that must be able to be of one of the kinds. */
  expect(tree: ExpressionTree, names: Names, kinds: readonly Kind[], why: string): ValueType
  /** Gives the type of what is wrong: it could be anything, and is not complained about again. */
  report(code: CheckProblem['code'], message: string, span: SourceSpan, hint?: string): ValueType
}
