import { parse } from '@marcbachmann/cel-js'
import type { ExpressionTree } from '../../core/expressions/index.ts'
import { convertTree } from './convert.ts'
import { type ExpressionProblem, expressionProblemOf, maxCharacters } from './problem.ts'
import { syntaxProblem } from './syntax-problem.ts'

export type { ExpressionProblem } from './problem.ts'

/** Reads one expression: CEL's syntax over JSON values, as a tree that the core evaluates. */
export function parseExpression(
  source: string,
): { readonly tree: ExpressionTree } | { readonly problem: ExpressionProblem } {
  if (source.length > maxCharacters && [...source].length > maxCharacters) {
    const message = `an expression has at most ${maxCharacters} characters`
    const hint = 'split it: core/set keeps a value for later steps'
    return { problem: { code: 'EXPRESSION_SYNTAX', message, span: [0, source.length], hint } }
  }
  try {
    return { tree: convertTree(parse(source).ast, source) }
  } catch (thrown) {
    return { problem: expressionProblemOf(thrown) ?? syntaxProblem(thrown, source) }
  }
}
