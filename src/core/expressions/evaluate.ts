import type { JsonObject, JsonValue } from '../json.ts'
import { createProgram, type Program, runProgram } from './program.ts'
import type { Expression, ExpressionTree } from './tree.ts'

export { nameKind as kindOf } from './run.ts'

/** The names an expression sees. */
export type Scope = JsonObject

/** Trees that were evaluated before. What they give does not depend on it, only how soon. */
const programs = new WeakMap<ExpressionTree, Program>()

/**
 * Evaluates an expression on the values of a scope: the same answer for the same values, always, and never more
 * than a bounded amount of work. Throws `ExpressionFailed` or `ExpressionTooCostly`.
 */
export function evaluate(expression: Expression, scope: Scope): JsonValue {
  let program = programs.get(expression.tree)
  if (program === undefined) {
    program = createProgram(expression.tree)
    programs.set(expression.tree, program)
  }
  return runProgram(program, expression, scope)
}
