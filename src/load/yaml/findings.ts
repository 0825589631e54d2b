import type { Diagnostic, DiagnosticCode, Range } from '../../core/diagnostic.ts'
import { formatPath, type JsonPath } from '../json-path.ts'

/** Where diagnostics are gathered. */
export interface Findings {
  /** In the order in which they were made. */
  readonly list: readonly Diagnostic[]
  add(code: DiagnosticCode, path: JsonPath, range: Range, message: string, hint?: string): void
  /** A finding that does not stop anything. */
  warn(code: DiagnosticCode, path: JsonPath, range: Range, message: string, hint?: string): void
}

/** Gathers findings about one file. What an alias repeats is told once. */
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
        ...(hint === undefined ? {} : { hint }),
        ...(file === undefined ? {} : { file }),
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
