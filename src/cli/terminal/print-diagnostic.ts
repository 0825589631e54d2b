import type { Range } from '../../core/diagnostic.ts'
import { excerpt } from './excerpt.ts'
import type { Paint } from './paint.ts'
import { printable } from './printable.ts'

/** A finding about a file, whoever found it. */
export interface Finding {
  readonly code: string
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly hint?: string
  readonly range: Range
}

/** A finding as people read it: place, message, the line with carets, the hint. One about the whole file has no place. */
export function printDiagnostic(
  file: string,
  text: string,
  finding: Finding,
  paint: Paint,
): readonly string[] {
  const { severity, code, message, hint, range } = finding
  const isWhole = range.end.offset === 0
  const place = isWhole ? file : `${file}:${range.start.line}:${range.start.column}`
  const head = severity === 'error' ? paint.red('error') : paint.yellow('warning')
  return [
    `${paint.bold(place)} ${head} ${paint.dim(code)}  ${printable(message)}`,
    ...(isWhole ? [] : excerpt(text, range, paint).map((line) => `  ${line}`)),
    ...(hint === undefined ? [] : [`  ${paint.cyan('hint:')} ${printable(hint)}`]),
  ]
}
