import type { DiagnosticCode } from '../core/diagnostic.ts'
import type { Expression, Template } from '../core/expressions/tree.ts'
import type { JsonValue } from '../core/json.ts'
import { checkNames, type VisibleNames } from './check-names.ts'
import type { JsonPath } from './json-path.ts'
import { parseExpression } from './parse-expression.ts'
import { type Segment, splitSegments } from './segments.ts'
import type { Source } from './source.ts'

/** Turns a value of the document into a template; what is wrong in its expressions becomes findings. */
export function compileTemplate(
  source: Source,
  value: unknown,
  path: JsonPath,
  names: VisibleNames,
): Template {
  if (typeof value === 'string') return compileText(source, value, path, names)
  if (Array.isArray(value)) {
    const items = value.map((item, index) => compileTemplate(source, item, [...path, index], names))
    return items.every((item) => item.kind === 'literal')
      ? { kind: 'literal', value: value as readonly JsonValue[] }
      : { kind: 'list', items }
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([key, item]) => [key, compileTemplate(source, item, [...path, key], names)] as const,
    )
    return entries.every(([, item]) => item.kind === 'literal')
      ? { kind: 'literal', value: value as JsonValue }
      : { kind: 'object', entries }
  }
  return { kind: 'literal', value: (value ?? null) as JsonValue }
}

/** Compiles a value that must be exactly one expression, such as `if`. */
export function compileCondition(
  source: Source,
  value: unknown,
  path: JsonPath,
  names: VisibleNames,
): Expression | undefined {
  if (typeof value === 'boolean')
    return { source: String(value), tree: { kind: 'value', value, span: [0, 5] } }
  const template = compileText(source, String(value), path, names)
  if (template.kind === 'expression') return template.expression
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
  return undefined
}

function compileText(source: Source, text: string, path: JsonPath, names: VisibleNames): Template {
  const segments = splitSegments(text)
  const parts = segments.map((segment) => compileSegment(source, segment, path, names))
  const [first] = parts
  if (parts.length === 1 && first !== undefined && typeof first !== 'string') {
    return { kind: 'expression', expression: first }
  }
  if (parts.every((part) => typeof part === 'string')) return { kind: 'literal', value: parts.join('') }
  return { kind: 'text', parts }
}

function compileSegment(
  source: Source,
  segment: Segment,
  path: JsonPath,
  names: VisibleNames,
): string | Expression {
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
  const report = (problem: {
    code: DiagnosticCode
    message: string
    span: readonly [number, number]
    hint?: string
  }): void => {
    const range = source.rangeWithin(path, segment.start + problem.span[0], segment.start + problem.span[1])
    source.findings.add(problem.code, path, range, problem.message, problem.hint)
  }
  if ('problem' in result) {
    report(result.problem)
    return ''
  }
  for (const problem of checkNames(result.tree, names)) report(problem)
  const trimmed = segment.source.trim()
  const shift = segment.source.length - segment.source.trimStart().length
  return { source: trimmed, tree: shift === 0 ? result.tree : shiftSpans(result.tree, -shift) }
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
