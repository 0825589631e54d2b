import {
  type CheckProblem,
  checkConstants,
  checkExpression,
  type Expression,
  type ValueType,
} from '../../core/expressions/index.ts'
import type { JsonPath } from '../../core/json.ts'
import { type ExpressionProblem, parseExpression } from '../expressions/parse-expression.ts'
import type { Segment } from '../expressions/segments.ts'
import { removed } from '../language/section.ts'
import type { ExpressionContext } from './context.ts'
import { namesOf, type TypeScope } from './scope.ts'
import { secretName } from './secrets.ts'
import type { StepIndex } from './step-index.ts'

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
  scope: TypeScope,
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
    const hint = path.includes('with') ? secretHint(String(path[path.indexOf('with') + 1])) : undefined
    findings.add('MISPLACED_SECRET', path, rangeWithin(path, segment.start, segment.end), message, hint)
    return undefined
  }
  const { type, problems } = checkExpression(tree, namesOf(scope))
  const failures = problems.length > 0 || scope.isUnreached ? [] : checkConstants({ source, tree })
  for (const problem of [...problems, ...failures]) {
    const isName = problem.code === 'UNKNOWN_NAME' && scope.hint !== undefined
    report(isName ? { ...problem, hint: scope.hint } : withStepHint(context, problem, source, path))
  }
  return { expression: { source, tree }, type }
}

/** Where a secret can stand instead: an address with one is configured, and never part of a runbook. */
function secretHint(argument: string): string {
  return argument === 'url' || argument === 'path'
    ? 'an address that is a secret belongs into opsbook.yaml: a connection of type http with base-url: env:NAME'
    : '"opsbook actions NAME" shows which arguments are sensitive; core/http takes { secret: NAME } in secret-headers, query and form, core/command in secret-env'
}

/** The hint says why a step that is there cannot be seen, and what to write instead of a field that is removed. */
function withStepHint(
  { index }: ExpressionContext,
  problem: CheckProblem,
  source: string,
  path: JsonPath,
): CheckProblem {
  const text = source.slice(problem.span[0], problem.span[1])
  const [, id, field] = /^steps\s*(?:\.\s*|\[\s*["'])(\w+)["'\s\]]*(?:\.\s*|\[\s*["'])?(\w*)/.exec(text) ?? []
  if (problem.code === 'UNKNOWN_FIELD') {
    const hint = field === 'error' ? noErrorHint : removed.get(`steps.ID.${field}`)
    return hint === undefined ? problem : { ...problem, hint }
  }
  if (problem.code !== 'UNKNOWN_STEP') return problem
  const hint = id === undefined ? undefined : explainStep(index, id, path)
  return hint === undefined ? problem : { ...problem, hint }
}

const noErrorHint =
  'after this step goes on only what follows a success, also one that its catch made; read "error" inside the catch, or give the step continue-on-error'

/** Why a step that is somewhere in the runbook cannot be seen from a place; undefined where there is none of this id. */
function explainStep(index: StepIndex, id: string, from: JsonPath): string | undefined {
  const step = index.get(id)
  if (!step) return undefined
  if (isInside(from, step.path)) {
    return insideKeys.includes(String(from[step.path.length]))
      ? `this is inside the step "${id}"`
      : 'a step does not see itself; in expect, repeat and outputs the name is "outputs"'
  }
  if (!isBeside(step.path, from)) {
    const { list, within } = step
    if (list === 'choose' && isInside(from, step.path.slice(0, -3)))
      return 'it is in another branch, and only one of the branches runs'
    if (list === 'catch' || list === 'finally' || within === undefined)
      return `"${id}" is inside a ${list}, and is seen inside that only`
    return `"${id}" stands inside "${within}": give that step outputs, and read them as steps.${within}.outputs`
  }
  return step.list === 'parallel' ? 'branches do not see one another' : `"${id}" comes later`
}

/** The keys of a step that hold steps inside it. */
const insideKeys: readonly string[] = ['steps', 'parallel', 'choose']

function isInside(path: JsonPath, holder: JsonPath): boolean {
  return holder.every((part, index) => path[index] === part)
}

/** Whether the step is in a list that the expression is inside of, too. */
function isBeside(step: JsonPath, from: JsonPath): boolean {
  return isInside(from, step.slice(0, -1))
}
