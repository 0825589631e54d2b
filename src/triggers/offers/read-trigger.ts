import { evaluate, kindOf } from '../../core/expressions/evaluate.ts'
import { render } from '../../core/expressions/render.ts'
import type { Expression, Template } from '../../core/expressions/tree.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import { isWellFormed } from '../../core/well-formed.ts'
import { formatPath, type JsonPath } from '../../load/json-path.ts'
import { valuesSeen } from './values-seen.ts'

/** Why an expression of a trigger cannot be used on an event. */
export interface MappingProblem {
  readonly path: JsonPath
  readonly message: string
  /** Left out: what it comes to is wrong, and not one expression of it. */
  readonly expression?: string
  readonly values?: JsonObject
}

/** Reads the expressions of a trigger on the values of an event, and keeps the first problem. */
export interface TriggerReader {
  readonly problem: MappingProblem | undefined
  /** False also where there is a problem. */
  isTrue(condition: Expression, path: JsonPath): boolean
  value(template: Template, path: JsonPath): JsonValue
  /** A value that something is remembered by. */
  key(template: Template | undefined, path: JsonPath): string | undefined
}

const mostKeyCharacters = 512

export function createTriggerReader(scope: JsonObject): TriggerReader {
  let problem: MappingProblem | undefined
  const attempt = <T>(expression: Expression, path: JsonPath, work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      if (!RunbookError.is(error)) throw error
      const { source } = expression
      problem ??= { path, message: error.message, expression: source, values: valuesSeen(expression, scope) }
      return undefined
    }
  }
  const value = (template: Template, path: JsonPath): JsonValue => {
    switch (template.kind) {
      case 'literal':
        return template.value
      case 'expression':
      case 'text':
        return attempt(culprit(template, scope), path, () => render(template, scope)) ?? null
      case 'list':
        return template.items.map((item, index) => value(item, [...path, index]))
      case 'object':
        return Object.fromEntries(template.entries.map(([key, item]) => [key, value(item, [...path, key])]))
    }
  }
  return {
    get problem() {
      return problem
    },
    isTrue(condition, path) {
      const found = attempt(condition, path, () => evaluate(condition, scope))
      if (typeof found === 'boolean' || found === undefined) return found === true
      const message = `${formatPath(path)} is ${kindOf(found)}, not true or false`
      const { source } = condition
      problem ??= { path, message, expression: source, values: valuesSeen(condition, scope) }
      return false
    },
    value,
    key(template, path) {
      if (template === undefined) return undefined
      const found = value(template, path)
      const isKey = typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean'
      const text = isKey ? String(found) : ''
      const what = isKey ? keyProblem(text) : kindOf(found)
      if (what === undefined) return text
      problem ??= {
        path,
        message: `${formatPath(path)} is ${what}: it must be a text of 1 to ${mostKeyCharacters} characters`,
      }
      return undefined
    },
  }
}

function keyProblem(text: string): string | undefined {
  if (text === '') return 'empty'
  if (text.length > mostKeyCharacters) return 'too long'
  return isWellFormed(text) ? undefined : 'not well-formed Unicode'
}

/** Of a text with several expressions the one that fails. */
function culprit(
  template: Extract<Template, { kind: 'expression' | 'text' }>,
  scope: JsonObject,
): Expression {
  if (template.kind === 'expression') return template.expression
  const expressions = template.parts.filter((part) => typeof part !== 'string')
  const failing = expressions.find((expression) => {
    try {
      render({ kind: 'text', parts: [expression] }, scope)
      return false
    } catch {
      return true
    }
  })
  return failing ?? expressions[0] ?? { source: '', tree: { kind: 'value', value: '', span: [0, 0] } }
}
