import {
  anyType,
  canBe,
  describeKinds,
  type Expression,
  eitherOf,
  type Field,
  type Kind,
  kindOf,
  listOf,
  mapOf,
  type Template,
  textType,
  type ValueType,
} from '../../core/expressions/index.ts'
import { type JsonPath, type JsonValue, valueAt } from '../../core/json.ts'
import { type Segment, splitSegments } from '../expressions/segments.ts'
import type { Source } from '../source.ts'
import { unreadableText } from '../yaml/findings.ts'
import type { ExpressionContext } from './context.ts'
import { compileExpression } from './expression.ts'
import { scopeOf, type TypeScope } from './scope.ts'
import { indexSteps } from './step-index.ts'
import { addNewlineAfter, addWrongKind } from './wrong-kind.ts'

/** A template and what its value will be. */
export interface Compiled {
  readonly template: Template
  readonly type: ValueType
  /** What the values inside will be: of a map by key, of a list by position. */
  readonly parts?: Readonly<Record<string, Compiled>>
}

const unknown: Compiled = { template: { kind: 'literal', value: null }, type: anyType }

/** Compiles a value of the document to a template; what is wrong in its expressions becomes findings. */
export function compileTemplate(
  context: ExpressionContext,
  value: unknown,
  path: JsonPath,
  scope: TypeScope,
): Compiled {
  if (typeof value === 'string') return compileText(context, value, path, scope)
  if (Array.isArray(value)) return compileList(context, value, path, scope)
  if (typeof value === 'object' && value !== null) return compileMap(context, value, path, scope)
  return literal((value ?? null) as JsonValue)
}

/** Compiles a template whose value must be of one of the kinds. */
export function compileTyped(
  context: ExpressionContext,
  value: unknown,
  path: JsonPath,
  scope: TypeScope,
  kinds: readonly Kind[],
): Compiled {
  const compiled = compileTemplate(context, value, path, scope)
  // What is written out has been judged by the check of the shape.
  if (compiled.template.kind !== 'literal' && !canBe(compiled.type, ...kinds))
    addWrongKind(context.source, value, compiled.type, path, kinds)
  return compiled
}

/** Compiles a value that must be exactly one expression that is true or false, such as `if`. */
export function compileCondition(
  context: ExpressionContext,
  value: unknown,
  path: JsonPath,
  scope: TypeScope,
): Expression | undefined {
  if (typeof value === 'boolean')
    return { source: String(value), tree: { kind: 'value', value, span: [0, String(value).length] } }
  if (typeof value !== 'string' || value === unreadableText) return undefined
  const compiled = compileText(context, value, path, scope)
  const { template, type } = compiled
  // A text without any expression has been told to be of the wrong type.
  if (template.kind === 'literal') return undefined
  if (!canBe(type, 'boolean')) addWrongKind(context.source, value, type, path, ['boolean'])
  return template.kind === 'expression' ? template.expression : undefined
}

function literal(value: JsonValue): Compiled {
  return { template: { kind: 'literal', value }, type: { kinds: [kindOf(value)], values: [value] } }
}

function compileList(
  context: ExpressionContext,
  value: readonly unknown[],
  path: JsonPath,
  scope: TypeScope,
): Compiled {
  const items = value.map((item, index) => compileTemplate(context, item, [...path, index], scope))
  const templates = items.map(({ template }) => template)
  const type = listOf(eitherOf(items.map((item) => item.type)))
  const parts = Object.fromEntries(items.entries())
  return templates.every(({ kind }) => kind === 'literal')
    ? { template: { kind: 'literal', value: value as readonly JsonValue[] }, type, parts }
    : { template: { kind: 'list', items: templates }, type, parts }
}

function compileMap(context: ExpressionContext, value: object, path: JsonPath, scope: TypeScope): Compiled {
  const entries = Object.entries(value).map(
    ([key, item]) => [key, compileTemplate(context, item, [...path, key], scope)] as const,
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
    parts: Object.fromEntries(entries),
  }
}

function compileText(context: ExpressionContext, text: string, path: JsonPath, scope: TypeScope): Compiled {
  if (text === unreadableText) return unknown
  if (!text.includes('${{')) return literal(text)
  const segments = splitSegments(text)
  const parts = segments.map((segment) =>
    segment.kind === 'text' ? segment.text : compileExpression(context, segment, path, scope),
  )
  // An expression that cannot be read has been told about, and its value could be anything.
  if (parts.includes(undefined)) return segments.length === 1 ? unknown : { ...unknown, type: textType }
  const [first] = parts
  if (parts.length === 1 && first !== undefined && typeof first !== 'string')
    return { template: { kind: 'expression', expression: first.expression }, type: first.type }
  if (parts.every((part) => typeof part === 'string')) return literal(parts.join(''))
  const template: Template = {
    kind: 'text',
    parts: parts.map((part) =>
      part === undefined || typeof part === 'string' ? (part ?? '') : part.expression,
    ),
  }
  for (const [index, part] of parts.entries())
    if (typeof part === 'object') checkInsideText(context, text, segments[index], part.type, path)
  return { template, type: textType }
}

/** Only a text, a number, or true or false has one way to stand inside a text. */
function checkInsideText(
  { source }: ExpressionContext,
  text: string,
  segment: Segment | undefined,
  type: ValueType,
  path: JsonPath,
): void {
  if (segment?.kind !== 'expression' || canBe(type, 'text', 'number', 'boolean')) return
  if (addNewlineAfter(source, text, path)) return
  const message = `${describeKinds(type.kinds)} cannot stand inside a text`
  const range = source.rangeWithin(path, segment.start, segment.end)
  source.findings.add('WRONG_KIND', path, range, message, 'json(…) makes a text of it')
}

/**
 * Compiles the expressions of a value outside of a runbook, which see these names alone, whatever they stand for. What is
 * wrong with them becomes findings of the source.
 */
export function compileAlone(source: Source, path: JsonPath, names: readonly string[]): Template {
  const scope = scopeOf(Object.fromEntries(names.map((name) => [name, anyType])))
  const context = { source, index: indexSteps({}) }
  return compileTemplate(context, valueAt(source.value, path), path, scope).template
}
