import {
  type Expression,
  evaluate,
  lookUp,
  nameKind,
  type Reference,
  referencesIn,
  render,
  type Template,
} from '../../core/expressions/index.ts'
import {
  formatPath,
  isWellFormed,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  valueAt,
  withoutUndefined,
} from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { readSource, type Source } from '../../load/yaml/index.ts'
import { isSecretName, maskWhole, withoutSecrets } from './without-secrets.ts'

/** A runbook with triggers. */
export interface TriggeredRunbook {
  readonly plan: Plan
  /** Its file, for people. */
  readonly file: string
  /** Its text, in which the positions of expressions are found. */
  readonly text: string
}

/** Why an expression of a trigger cannot be used on an event. */
export interface MappingProblem {
  readonly path: JsonPath
  readonly message: string
  /** Left out: the result is wrong, not one expression. */
  readonly expression?: string
  readonly values?: JsonObject
}

/** Reads the expressions of a trigger on the values of an event, and keeps the first problem. */
export interface TriggerReader {
  readonly problem: MappingProblem | undefined
  /** False also where there is a problem. */
  isTrue(condition: Expression, path: JsonPath): boolean
  value(template: Template, path: JsonPath): JsonValue
  /** The value of a dedupe or cooldown key. */
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
      const message = `${formatPath(path)} is ${nameKind(found)}, not true or false`
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
      const what = isKey ? keyProblem(text) : nameKind(found)
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

/** The expression of a text that fails. */
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

const sources = new WeakMap<TriggeredRunbook, Source>()

/** A problem with the source location of its expression. */
export function locateProblem(
  { path, message, expression, values }: MappingProblem,
  runbook: TriggeredRunbook,
): { readonly message: string; readonly details: JsonObject } {
  const source = sources.get(runbook) ?? readSource(runbook.text)
  sources.set(runbook, source)
  const text = valueAt(source.value, path)
  const start = expression === undefined || typeof text !== 'string' ? -1 : text.indexOf(expression)
  const range =
    start < 0 ? source.rangeOf(path) : source.rangeWithin(path, start, start + (expression?.length ?? 0))
  const { line, column } = range.start
  const place = { path: formatPath(path), file: runbook.file, line, column }
  return {
    message,
    details: {
      ...place,
      ...withoutUndefined({ expression, values }),
    },
  }
}

const mostCharacters = 500

/**
 * The values that an expression reads, by their paths. For a path that does not exist, the last value that
 * does.
 */
export function valuesSeen(expression: Expression, scope: JsonObject): JsonObject {
  const seen = referencesIn(expression.tree).flatMap((reference) => {
    const found = findOnTheWay(reference, scope)
    if (!found) return []
    const isSecret = found.reference.some((part) => isSecretName(String(part)))
    const shown = isSecret ? maskWhole(found.value) : withoutSecrets(found.value)
    return [[formatPath(found.reference), shortened(shown)] as const]
  })
  return Object.fromEntries(seen)
}

function findOnTheWay(
  reference: Reference,
  scope: JsonObject,
): { readonly reference: Reference; readonly value: JsonValue } | undefined {
  const [root, ...path] = reference
  for (let length = path.length; length >= 0; length--) {
    const part: Reference = [root, ...path.slice(0, length)]
    const value = lookUp(part, scope)
    if (value !== undefined) return { reference: part, value }
  }
  return undefined
}

/** Shortens a large value: the record has the whole event. */
function shortened(value: JsonValue): JsonValue {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : value
}
