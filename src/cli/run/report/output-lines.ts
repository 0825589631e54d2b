import { stringify } from 'yaml'
import { isJsonObject, type JsonValue } from '../../../core/json.ts'
import { printable } from '../../terminal/printable.ts'
import type { RunState } from '../follow/run-state.ts'
import type { ReportOptions } from './report-lines.ts'
import type { ReportedRun } from './reported-run.ts'

const mostLines = 100

/** The outputs of the run. */
export function outputLines({ outputs }: ReportedRun, options: ReportOptions): readonly string[] {
  if (outputs === undefined || Object.keys(outputs).length === 0) return []
  return ['', options.paint.bold('Outputs'), ...valueLines(outputs, options)]
}

/** What a run that ended badly has left behind: nobody else will name the new things it made. */
export function madeLines({ made }: RunState, options: ReportOptions): readonly string[] {
  if (made.length === 0) return []
  const outputsOf = Object.fromEntries(made.map(({ path, outputs }) => [path, outputs]))
  return ['', options.paint.bold('Made before the end, and still there'), ...valueLines(outputsOf, options)]
}

/** A value as people read it; what is long is cut. */
export function valueLines(
  value: JsonValue,
  { paint, mask }: ReportOptions,
  most: number = mostLines,
): readonly string[] {
  const masked = mask.value(value)
  const lines = printable(stringify(masked, { lineWidth: 0 }))
    .trimEnd()
    .split('\n')
  const hidden = lines.length - most
  const isMasked = isJsonObject(masked) && JSON.stringify(masked) !== JSON.stringify(value)
  return [
    ...lines.slice(0, most).map((line) => `  ${line}`),
    ...(hidden > 0 ? [paint.dim(`  … ${hidden} more lines; --output json has them all`)] : []),
    ...(isMasked ? [paint.dim('  sensitive values are masked; --reveal shows them')] : []),
  ]
}
