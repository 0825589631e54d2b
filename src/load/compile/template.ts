import { type CheckProblem, checkExpression } from '../../core/expressions/check.ts'
import type { Expression, ExpressionTree, Template } from '../../core/expressions/tree.ts'
import {
  anything,
  canBe,
  describeKinds,
  type Field,
  kindOf,
  listOf,
  mapOf,
  textType,
  type ValueType,
} from '../../core/expressions/value-type.ts'
import type { JsonValue } from '../../core/json.ts'
import type { JsonPath } from '../json-path.ts'
import { type ExpressionProblem, parseExpression } from '../parse-expression.ts'
import { type Segment, splitSegments } from '../segments.ts'
import type { Source } from '../source.ts'
import { namesOf, type Scope } from './scope.ts'

/** A template and what its value will be. */
export interface Compiled {
  readonly template: Template
  readonly type: ValueType
}

/** Turns a value of the document into a template; what is wrong in its expressions becomes findings. */
export function compileTemplate(source: Source, value: unknown, path: JsonPath, scope: Scope): Compiled {
  if (typeof value === 'string') return compileText(source, value, path, scope)
  if (Array.isArray(value)) return compileList(source, value, path, scope)
  if (typeof value === 'object' && value !== null) return compileMap(source, value, path, scope)
  return literal((value ?? null) as JsonValue)
}

/** Compiles a value that must be exactly one expression that is true or false, such as `if`. */
export function compileCondition(
  source: Source,
  value: unknown,
  path: JsonPath,
  scope: Scope,
): Expression | undefined {
  if (typeof value === 'boolean')
    return { source: String(value), tree: { kind: 'value', value, span: [0, 5] } }
  const { template, type } = compileText(source, String(value), path, scope)
  if (template.kind === 'text') {
    const message = 'text around the expression makes it a text, which is never true or false'
    source.findings.add(
      'NOT_ONE_EXPRESSION',
      path,
      source.rangeOf(path),
      message,
      'put the whole condition inside ${{ }}',
    )
  }
  if (template.kind !== 'expression') return undefined
  if (!canBe(type, 'boolean')) {
    const message = `a condition is true or false, and this is ${describeKinds(type.kinds)}`
    source.findings.add('WRONG_KIND', path, source.rangeOf(path), message)
  }
  return template.expression
}

function literal(value: JsonValue): Compiled {
  return { template: { kind: 'literal', value }, type: { kinds: [kindOf(value)], values: [value] } }
}

function compileList(source: Source, value: readonly unknown[], path: JsonPath, scope: Scope): Compiled {
  const items = value.map((item, index) => compileTemplate(source, item, [...path, index], scope))
  const templates = items.map(({ template }) => template)
  const type = listOf(items.length === 1 ? (items[0]?.type ?? anything) : anything)
  return templates.every(({ kind }) => kind === 'literal')
    ? { template: { kind: 'literal', value: value as readonly JsonValue[] }, type }
    : { template: { kind: 'list', items: templates }, type }
}

function compileMap(source: Source, value: object, path: JsonPath, scope: Scope): Compiled {
  const entries = Object.entries(value).map(
    ([key, item]) => [key, compileTemplate(source, item, [...path, key], scope)] as const,
  )
  const fields: Readonly<Record<string, Field>> = Object.fromEntries(
    entries.map(([key, { type }]) => [key, { type }]),
  )
  const isLiteral = entries.every(([, { template }]) => template.kind === 'literal')
  return {
    template: isLiteral
      ? { kind: 'literal', value: value as JsonValue }
      : { kind: 'object', entries: entries.map(([key, { template }]) => [key, template]) },
    type: mapOf(fields),
  }
}

function compileText(source: Source, text: string, path: JsonPath, scope: Scope): Compiled {
  const segments = splitSegments(text)
  const parts = segments.map((segment) => compileSegment(source, segment, path, scope))
  const [first] = parts
  if (parts.length === 1 && first !== undefined && typeof first !== 'string') {
    return { template: { kind: 'expression', expression: first.expression }, type: first.type }
  }
  if (parts.every((part) => typeof part === 'string')) return literal(parts.join(''))
  for (const [index, part] of parts.entries()) {
    if (typeof part !== 'string') checkInsideText(source, segments[index], part.type, path)
  }
  const texts = parts.map((part) => (typeof part === 'string' ? part : part.expression))
  return { template: { kind: 'text', parts: texts }, type: textType }
}

/** Only a text, a number, or true or false has one way to stand inside a text. */
function checkInsideText(
  source: Source,
  segment: Segment | undefined,
  type: ValueType,
  path: JsonPath,
): void {
  if (segment?.kind !== 'expression' || canBe(type, 'text', 'number', 'boolean')) return
  const message = `${describeKinds(type.kinds)} cannot stand inside a text`
  const range = source.rangeWithin(path, segment.start, segment.end)
  source.findings.add('WRONG_KIND', path, range, message, `json(…) makes a text of it`)
}

interface CompiledExpression {
  readonly expression: Expression
  readonly type: ValueType
}

function compileSegment(
  source: Source,
  segment: Segment,
  path: JsonPath,
  scope: Scope,
): string | CompiledExpression {
  if (segment.kind === 'text') return segment.text
  if (segment.kind === 'open') {
    const range = source.rangeWithin(path, segment.start, segment.start + 3)
    source.findings.add(
      'EXPRESSION_NOT_CLOSED',
      path,
      range,
      'this expression has no end',
      'close it with }}',
    )
    return ''
  }
  const result = parseExpression(segment.source)
  const report = (problem: ExpressionProblem | CheckProblem): void => {
    const range = source.rangeWithin(path, segment.start + problem.span[0], segment.start + problem.span[1])
    source.findings.add(problem.code, path, range, problem.message, problem.hint)
  }
  if ('problem' in result) {
    report(result.problem)
    return ''
  }
  if (secretName(result.tree) !== undefined) return reportSecret(source, segment, path)
  const { type, problems } = checkExpression(result.tree, namesOf(scope))
  for (const problem of problems) report(problem)
  const trimmed = segment.source.trim()
  const shift = segment.source.length - segment.source.trimStart().length
  return {
    expression: { source: trimmed, tree: shift === 0 ? result.tree : shiftSpans(result.tree, -shift) },
    type,
  }
}

function reportSecret(source: Source, segment: Segment & { kind: 'expression' }, path: JsonPath): string {
  const range = source.rangeWithin(path, segment.start, segment.end)
  const message =
    'a secret stands alone, as the whole value of an argument that the action marks as sensitive'
  source.findings.add('MISPLACED_SECRET', path, range, message)
  return ''
}

/** The name in `secrets.name`, if that is the whole expression. */
export function secretName(tree: ExpressionTree): string | undefined {
  return tree.kind === 'member' && tree.of.kind === 'name' && tree.of.name === 'secrets'
    ? tree.name
    : undefined
}

/** The same tree with spans that count from the first character that is not white space. */
function shiftSpans<T>(tree: T, by: number): T {
  if (Array.isArray(tree)) return tree.map((item) => shiftSpans(item, by)) as T
  if (typeof tree !== 'object' || tree === null) return tree
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [
      key,
      key === 'span'
        ? (value as readonly number[]).map((at) => at + by)
        : key === 'value'
          ? value
          : shiftSpans(value, by),
    ]),
  ) as T
}
