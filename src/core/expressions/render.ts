import type { JsonValue } from '../json.ts'
import { RunbookError } from '../run-error.ts'
import { evaluate, kindOf, type Scope } from './evaluate.ts'
import type { Expression, Template } from './tree.ts'

/** The plain JSON that a template is on the values of a scope. What comes out is never looked through again. */
export function render(template: Template, scope: Scope): JsonValue {
  switch (template.kind) {
    case 'literal':
      return template.value
    case 'expression':
      return evaluate(template.expression, scope)
    case 'text':
      return template.parts.map((part) => (typeof part === 'string' ? part : text(part, scope))).join('')
    case 'list':
      return template.items.map((item) => render(item, scope))
    case 'object':
      return Object.fromEntries(template.entries.map(([key, value]) => [key, render(value, scope)]))
  }
}

function text(expression: Expression, scope: Scope): string {
  const value = evaluate(expression, scope)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  const message = `${kindOf(value)} cannot stand inside a text; use json(…): "${expression.source}"`
  throw new RunbookError('ExpressionFailed', message)
}
