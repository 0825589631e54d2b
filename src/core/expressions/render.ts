import { isWellFormed, type JsonValue } from '../json.ts'
import { RunbookError } from '../run-error.ts'
import { evaluate, type Scope } from './evaluate.ts'
import type { Expression, Template } from './tree.ts'
import { nameKind } from './value-type.ts'

/** The plain JSON that a template is on the values of a scope. What comes out is never looked through again. */
export function render(template: Template, scope: Scope): JsonValue {
  switch (template.kind) {
    case 'literal':
      return template.value
    case 'expression':
      return evaluate(template.expression, scope)
    case 'text':
      return template.parts
        .map((part) => (typeof part === 'string' ? part : textOf(template, part, scope)))
        .join('')
    case 'list':
      return template.items.map((item) => render(item, scope))
    case 'object':
      return Object.fromEntries(template.entries.map(([key, value]) => [key, render(value, scope)]))
  }
}

function textOf(
  { isAddress }: Template & { readonly kind: 'text' },
  expression: Expression,
  scope: Scope,
): string {
  const value = text(expression, scope)
  return isAddress ? inAddress(value, expression) : value
}

/** A value as one part of an address: it adds no part of its own, and leaves none out. */
function inAddress(value: string, { source }: Expression): string {
  if (value !== '' && isWellFormed(value)) return encodeURIComponent(value)
  const what = value === '' ? 'empty' : 'not well-formed Unicode'
  throw new RunbookError('ExpressionFailed', `a value inside a path is ${what}: "${source}"`)
}

function text(expression: Expression, scope: Scope): string {
  const value = evaluate(expression, scope)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  const message = `${nameKind(value)} cannot stand inside a text; use json(…): "${expression.source}"`
  throw new RunbookError('ExpressionFailed', message)
}
