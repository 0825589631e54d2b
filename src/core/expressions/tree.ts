import type { JsonValue } from '../json.ts'

/** The range of a node in the source of its expression: first character, and the one after the last. */
export type SourceSpan = readonly [start: number, end: number]

export type BinaryOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%' | 'in'

export type Macro = 'all' | 'exists' | 'exists_one' | 'filter' | 'map' | 'sortBy' | 'groupBy' | 'toMap'

/** A checked expression as plain JSON: a plan made today evaluates the same for years, without a parser. */
export type ExpressionTree =
  | { readonly kind: 'value'; readonly value: JsonValue; readonly span: SourceSpan }
  | { readonly kind: 'name'; readonly name: string; readonly span: SourceSpan }
  | { readonly kind: 'member'; readonly of: ExpressionTree; readonly name: string; readonly span: SourceSpan }
  | {
      readonly kind: 'index'
      readonly of: ExpressionTree
      readonly index: ExpressionTree
      readonly span: SourceSpan
    }
  | { readonly kind: 'list'; readonly items: readonly ExpressionTree[]; readonly span: SourceSpan }
  | {
      readonly kind: 'map'
      readonly entries: readonly (readonly [ExpressionTree, ExpressionTree])[]
      readonly span: SourceSpan
    }
  | { readonly kind: 'not'; readonly of: ExpressionTree; readonly span: SourceSpan }
  | { readonly kind: 'negate'; readonly of: ExpressionTree; readonly span: SourceSpan }
  | {
      readonly kind: 'and' | 'or'
      readonly left: ExpressionTree
      readonly right: ExpressionTree
      readonly span: SourceSpan
    }
  | {
      readonly kind: 'binary'
      readonly operator: BinaryOperator
      readonly left: ExpressionTree
      readonly right: ExpressionTree
      readonly span: SourceSpan
    }
  | {
      readonly kind: 'conditional'
      readonly condition: ExpressionTree
      readonly whenTrue: ExpressionTree
      readonly whenFalse: ExpressionTree
      readonly span: SourceSpan
    }
  | {
      readonly kind: 'call'
      readonly function: string
      readonly arguments: readonly ExpressionTree[]
      readonly span: SourceSpan
    }
  | {
      readonly kind: 'macro'
      readonly macro: Macro
      readonly of: ExpressionTree
      readonly variable: string
      readonly body: ExpressionTree
      /** Of `toMap`: the value that belongs to the name. */
      readonly value?: ExpressionTree
      readonly span: SourceSpan
    }
  | { readonly kind: 'has'; readonly of: ExpressionTree; readonly span: SourceSpan }
  | {
      readonly kind: 'default'
      readonly of: ExpressionTree
      readonly otherwise: ExpressionTree
      readonly span: SourceSpan
    }

/** An expression with the text it came from, for messages. */
export interface Expression {
  readonly source: string
  readonly tree: ExpressionTree
}

/** A value of a runbook with its expressions found: what evaluation makes plain JSON of. */
export type Template =
  | { readonly kind: 'literal'; readonly value: JsonValue }
  | { readonly kind: 'expression'; readonly expression: Expression }
  | {
      readonly kind: 'text'
      readonly parts: readonly (string | Expression)[]
      /** The text is a part of an address: values are percent-encoded, and none is empty. */
      readonly isAddress?: true
    }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Template])[] }
