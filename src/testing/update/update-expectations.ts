import { Document, isCollection, isNode, parseDocument } from 'yaml'
import type { JsonPath, JsonValue } from '../../core/json.ts'

/** A value of a run that takes the place of an expected one. */
export interface ExpectationUpdate {
  /** From the root of the test file. */
  readonly path: JsonPath
  readonly value: JsonValue
}

/** One replaced part of a test file. */
export interface TextChange {
  /** From 1. */
  readonly line: number
  readonly before: string
  readonly after: string
}

/**
 * Replaces expected values in the text of a test file. Everything else stays as it is, comments and layout too. What
 * stands behind an alias is left alone, since other tests share it.
 */
export function updateExpectations(
  text: string,
  updates: readonly ExpectationUpdate[],
): { readonly text: string; readonly changes: readonly TextChange[] } {
  const document = parseDocument(text)
  const places = updates.flatMap(({ path, value }) => {
    const node = document.getIn(path, true)
    const [start, end] = (isNode(node) ? node.range : undefined) ?? []
    return start === undefined || end === undefined ? [] : [{ start, end, after: flowText(value) }]
  })
  let updated = text
  const changes: TextChange[] = []
  let first = Number.POSITIVE_INFINITY
  // From the end, so that earlier places stay.
  for (const { start, end, after } of places.toSorted((one, other) => other.start - one.start)) {
    // A part of what is replaced already.
    if (end > first) continue
    first = start
    const before = text.slice(start, end).trimEnd()
    updated = updated.slice(0, start) + after + updated.slice(start + before.length)
    changes.unshift({ line: text.slice(0, start).split('\n').length, before, after })
  }
  return { text: updated, changes }
}

/** In one line, so that it fits wherever a value stands. */
function flowText(value: JsonValue): string {
  const document = new Document(value)
  if (isCollection(document.contents)) document.contents.flow = true
  // A plain text can hold what ends a value inside brackets.
  if (typeof value === 'string' && /[,[\]{}\n]/.test(value)) return JSON.stringify(value)
  return document.toString({ lineWidth: 0 }).trim()
}
