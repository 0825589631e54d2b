import {
  formatPath,
  isJsonObject,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  withoutUndefined,
} from '../../core/json.ts'
import type { Diagnostic, DiagnosticCode, Range } from '../diagnostic.ts'
import { hasExpression } from '../expressions/segments.ts'

/** Where diagnostics are gathered. */
export interface Findings {
  /** In the order in which they were made. */
  readonly list: readonly Diagnostic[]
  add(code: DiagnosticCode, path: JsonPath, range: Range, message: string, hint?: string): void
  /** A finding that does not stop anything. */
  warn(code: DiagnosticCode, path: JsonPath, range: Range, message: string, hint?: string): void
}

/** Gathers findings about one file. Each finding about an alias is reported once. */
export function createFindings(file: string | undefined): Findings {
  const list: Diagnostic[] = []
  const told = new Set<string>()
  const make =
    (severity: Diagnostic['severity']): Findings['add'] =>
    (code, path, range, message, hint) => {
      const key = `${code} ${range.start.offset} ${range.end.offset} ${message}`
      if (told.has(key)) return
      told.add(key)
      list.push({
        code,
        severity,
        message,
        ...withoutUndefined({ hint, file }),
        path: formatPath(path),
        range,
      })
    }
  return { list, add: make('error'), warn: make('warning') }
}

/** The findings of one file in order of place. */
export function inOrder(findings: readonly Diagnostic[]): readonly Diagnostic[] {
  return findings.toSorted(
    (a, b) =>
      a.range.start.offset - b.range.start.offset ||
      a.range.end.offset - b.range.end.offset ||
      (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
  )
}

/** What is wrong with a tag, which in a condition was meant to be `not`. */
export function tagProblem(
  tag: string,
  key: string | number | undefined,
): { readonly code: 'YAML_TAG'; readonly message: string; readonly hint: string } {
  const isCondition = key === 'if' || key === 'where' || key === 'until' || key === 'that'
  const message = `a value that begins with "!" is a tag of YAML ("${tag}"), and Opsbook reads none`
  const hint = isCondition ? `write the condition inside \${{ }}` : 'leave it out, or quote the value'
  return { code: 'YAML_TAG', message, hint }
}

/**
 * Stands for a value that a finding has been made about already and that nothing can be said of any more. It can be
 * no text of an author, since NUL is refused.
 */
export const unreadableText = '\u0000unreadable'

/** Whether something in a value could not be read. */
export function hasUnreadable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === unreadableText
  return Object.values(value).some(hasUnreadable)
}

/**
 * A schema without what could not be read, which has been told about and says nothing of the rest. That there is a default
 * is known, and which names there are.
 */
export function readablePart(schema: JsonObject): JsonObject {
  const parts = Object.entries(schema).flatMap(([key, value]): [string, JsonValue][] => {
    if (key === 'default' || !hasUnreadable(value)) return [[key, value]]
    if (!isJsonObject(value)) return []
    if (key !== 'properties') return [[key, readablePart(value)]]
    const fields = Object.entries(value).map(([name, one]) => [
      name,
      isJsonObject(one) ? readablePart(one) : {},
    ])
    return [[key, Object.fromEntries(fields)]]
  })
  return Object.fromEntries(parts)
}

/** Whether a text has no value yet: it holds an expression, or could not be read. */
export function isUnknownYet(text: string): boolean {
  return text === unreadableText || (text.includes('${{') && hasExpression(text))
}
