import type { SourceSpan } from '../../core/expressions/index.ts'
import type { DiagnosticCode } from '../diagnostic.ts'

/** Why an expression cannot be part of a plan, and where in it. */
export interface ExpressionProblem {
  readonly code: DiagnosticCode
  readonly message: string
  readonly span: SourceSpan
  readonly hint?: string
}

/** A problem on its way out of the conversion. */
class Refusal extends Error {
  readonly problem: ExpressionProblem
  constructor(problem: ExpressionProblem) {
    super(problem.message)
    this.problem = problem
  }
}

/** Ends the conversion of an expression. */
export function refuse(code: DiagnosticCode, message: string, span: SourceSpan, hint?: string): never {
  throw new Refusal({ code, message, span, ...(hint === undefined ? {} : { hint }) })
}

/** The problem that ended a conversion, if that is what was thrown. */
export function expressionProblemOf(thrown: unknown): ExpressionProblem | undefined {
  return thrown instanceof Refusal ? thrown.problem : undefined
}

/** How long an expression may be, in characters. */
export const maxCharacters = 2000

/** How deep its parts may stand inside one another: what every later walk goes down without running out of stack. */
export const maxLevels = 250
