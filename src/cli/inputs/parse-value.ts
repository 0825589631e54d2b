import { type Document, isScalar, parseDocument, visit } from 'yaml'
import type { JsonValue } from '../../core/json.ts'

/** A value that was read, or why it cannot be used. */
export type ParsedValue =
  | { readonly value: JsonValue }
  | { readonly problem: string; readonly line: number; readonly column: number }

/** Reads one value as YAML 1.2 (JSON is part of it). Nothing is rounded, nothing is guessed. */
export function parseValue(text: string): ParsedValue {
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    intAsBigInt: true,
    resolveKnownTags: false,
    prettyErrors: false,
  })
  const [error] = [...document.errors, ...document.warnings]
  if (error) return problemAt(text, error.pos[0], error.message.replace(/[.:]$/, ''))
  const problem = checkNumbers(document, text)
  if (problem) return problem
  try {
    return { value: document.toJS({ maxAliasCount: 50 }) as JsonValue }
  } catch (thrown) {
    return problemAt(text, 0, (thrown as Error).message)
  }
}

/** Turns big integers into numbers, as far as they stay what they are. */
function checkNumbers(document: Document.Parsed, text: string): ParsedValue | undefined {
  let problem: ParsedValue | undefined
  visit(document, {
    Scalar(_, node) {
      const at = node.range?.[0] ?? 0
      if (typeof node.value === 'bigint') {
        if (node.value > Number.MAX_SAFE_INTEGER || node.value < Number.MIN_SAFE_INTEGER) {
          problem ??= problemAt(text, at, `${node.value} is beyond 2^53 and cannot be held exactly; quote it`)
        }
        node.value = Number(node.value)
      } else if (typeof node.value === 'number' && !Number.isFinite(node.value)) {
        problem ??= problemAt(text, at, `${node.source ?? node.value} is no number that JSON has; quote it`)
      }
    },
    Pair(_, pair) {
      // A key such as {a: b}: c would become a text nobody wrote.
      if (!isScalar(pair.key)) problem ??= problemAt(text, 0, 'a key must be plain text')
    },
  })
  return problem
}

function problemAt(text: string, offset: number, problem: string): ParsedValue {
  const before = text.slice(0, offset).split('\n')
  return { problem, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
