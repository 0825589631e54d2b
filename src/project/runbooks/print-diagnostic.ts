import type { JsonObject } from '../../core/json.ts'
import type { Position, Range } from '../../load/index.ts'
import type { Paint } from '../paint.ts'
import { printable, printableInColumns } from '../text/printable.ts'

/** A finding about a file. */
export interface Finding {
  readonly code: string
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly hint?: string
  readonly range: Range
}

/** A finding with its path in the document; a finding about a child runbook names its file. */
export interface PlacedFinding extends Finding {
  readonly path: string
  readonly file?: string
}

/** No reader needs more findings of one file, and each costs the time of its excerpt. */
const mostFindings = 200

/** The first findings of a file. Of the others, a last one says how many there are. */
export function firstFindings<F extends PlacedFinding>(
  findings: readonly F[],
): readonly (F | MoreFindings)[] {
  if (findings.length <= mostFindings) return findings
  const rest = findings.slice(mostFindings)
  const severity = rest.some((one) => one.severity === 'error') ? 'error' : 'warning'
  const range = { start: nowhere, end: nowhere }
  const message = `${rest.length} more findings are left out; fix the first ones, and check again`
  return [...findings.slice(0, mostFindings), { code: 'MORE_FINDINGS', severity, message, path: '', range }]
}

/** Stands for the findings that are left out. */
export interface MoreFindings extends PlacedFinding {
  readonly code: 'MORE_FINDINGS'
}

/** The place of a finding about a whole file. */
export const nowhere: Position = { line: 1, column: 1, offset: 0 }

/** A finding as text: position, message, the line with carets, the hint. A finding about the whole file has no line. */
export function printDiagnostic(
  file: string,
  text: string | undefined,
  finding: Finding,
  paint: Paint,
): readonly string[] {
  const { severity, code, message, hint, range } = finding
  const isWhole = range.end.offset === 0
  const position = isWhole ? file : `${file}:${range.start.line}:${range.start.column}`
  const head = severity === 'error' ? paint.red('error') : paint.yellow('warning')
  return [
    `${paint.bold(position)} ${head} ${paint.dim(code)}  ${printable(message)}`,
    ...(isWhole || text === undefined || text.includes('\0')
      ? []
      : excerpt(text, range, paint).map((line) => `  ${line}`)),
    ...(hint === undefined ? [] : [`  ${paint.cyan('hint:')} ${printable(hint)}`]),
  ]
}

/**
 * A finding for programs. Lines and columns count from 1, and an end is the place after the last character. `file` is in
 * it where that is not the `holder`, whose findings these are.
 */
export function diagnosticJson(finding: PlacedFinding, holder?: string): JsonObject {
  const { code, severity, message, hint, path, range, file } = finding
  return {
    code,
    severity,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(file === undefined || file === holder ? {} : { file }),
    path,
    line: range.start.line,
    column: range.start.column,
    end_line: range.end.line,
    end_column: range.end.column,
  }
}

const widest = 100

/**
 * The line of a file that a range begins in, with carets under the range:
 *
 *     12 |     uses: monit/tools/invok
 *        |           ^^^^^^^^^^^^^^^^^
 */
export function excerpt(text: string, range: Range, paint: Paint): readonly string[] {
  const line = text.split(/\r\n|\r|\n/)[range.start.line - 1]
  if (line === undefined || line.trim() === '') return []
  const start = range.start.column - 1
  const isOneLine = range.end.line === range.start.line
  const end = Math.max(start + 1, isOneLine ? range.end.column - 1 : line.trimEnd().length)
  const from = start > widest - 20 ? start - 20 : 0
  const shown = printableInColumns(line.slice(from, from + widest))
  const cutLeft = from > 0 ? '…' : ''
  const cutRight = line.length > from + widest ? '…' : ''
  const gutter = String(range.start.line)
  const carets = '^'.repeat(Math.min(end, from + widest) - start || 1)
  return [
    `${paint.dim(`${gutter} |`)} ${cutLeft}${shown}${cutRight}`,
    `${paint.dim(`${' '.repeat(gutter.length)} |`)} ${' '.repeat(start - from + cutLeft.length)}${paint.red(carets)}`,
  ]
}
