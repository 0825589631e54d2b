import { type CheckProblem, checkExpression } from '../../core/expressions/check.ts'
import type { Expression } from '../../core/expressions/tree.ts'
import type { ValueType } from '../../core/expressions/value-type.ts'
import type { JsonPath } from '../json-path.ts'
import { type ExpressionProblem, parseExpression } from '../parse-expression.ts'
import type { Segment } from '../segments.ts'
import type { ExpressionContext } from './context.ts'
import { explainStep } from './explain-step.ts'
import { namesOf, type Scope } from './scope.ts'
import { secretName } from './secrets.ts'

/** An expression of a plan, and what its value will be. */
export interface CompiledExpression {
  readonly expression: Expression
  readonly type: ValueType
}

/** Compiles one `${{ … }}` of a text; undefined where it cannot be read, which has been told then. */
export function compileExpression(
  context: ExpressionContext,
  segment: Segment & { readonly start: number; readonly kind: 'expression' | 'open' },
  path: JsonPath,
  scope: Scope,
): CompiledExpression | undefined {
  const { findings, rangeWithin } = context.source
  if (segment.kind === 'open') {
    const range = rangeWithin(path, segment.start, segment.start + 3)
    const hint = segment.hint ?? 'close it with }}'
    findings.add('EXPRESSION_NOT_CLOSED', path, range, 'this expression has no end', hint)
    return undefined
  }
  const source = segment.source.trim()
  // Places count from the first character that is not white space, in the plan as well.
  const start = segment.start + segment.source.length - segment.source.trimStart().length
  const report = ({ code, message, span, hint }: ExpressionProblem | CheckProblem): void =>
    findings.add(code, path, rangeWithin(path, start + span[0], start + span[1]), message, hint)
  const result = parseExpression(source)
  if ('problem' in result) {
    report(result.problem)
    return undefined
  }
  const { tree } = result
  if (secretName(tree) !== undefined) {
    const message =
      'a secret stands alone, as the whole value of an argument that the action marks as sensitive'
    const hint = path.includes('with')
      ? '"opsbook actions NAME" shows which arguments are sensitive; core/http takes secrets in secret-headers only'
      : undefined
    findings.add('MISPLACED_SECRET', path, rangeWithin(path, segment.start, segment.end), message, hint)
    return undefined
  }
  const { type, problems } = checkExpression(tree, namesOf(scope))
  for (const problem of problems) report(withStepHint(context, problem, source, path))
  return { expression: { source, tree }, type }
}

/** A step that is there and cannot be seen gets the reason as a hint. */
function withStepHint(
  { index }: ExpressionContext,
  problem: CheckProblem,
  source: string,
  path: JsonPath,
): CheckProblem {
  if (problem.code !== 'UNKNOWN_STEP') return problem
  const id = /^steps\s*(?:\.\s*|\[\s*["'])(\w+)/.exec(source.slice(problem.span[0], problem.span[1]))?.[1]
  const hint = id === undefined ? undefined : explainStep(index, id, path)
  return hint === undefined ? problem : { ...problem, hint }
}
