import { stringify } from 'yaml'
import { isJsonObject, type JsonValue } from '../../../core/json.ts'
import { isExecuted } from '../../../core/record/index.ts'
import { printable } from '../../../project/text/index.ts'
import type { RunTree } from '../../../view/run/index.ts'
import type { ReportedRun, ReportOptions } from './reported-run.ts'

const mostLines = 100

/** The outputs of the run. */
export function outputLines({ outputs }: ReportedRun, options: ReportOptions): readonly string[] {
  if (outputs === undefined || Object.keys(outputs).length === 0) return []
  return ['', options.paint.bold('Outputs'), ...outputValueLines(outputs, options)]
}

/** What an open or unsuccessful run has created, since it has no outputs. */
export function madeLines(
  run: ReportedRun,
  { made, maybeUndone }: RunTree,
  options: ReportOptions,
): readonly string[] {
  if (made.length === 0) return []
  // A decision can resolve a create without outputs.
  const shown = (outputs: JsonValue): JsonValue =>
    isJsonObject(outputs) && Object.keys(outputs).length === 0 ? 'no outputs' : outputs
  const outputsOf = Object.fromEntries(
    made.map(({ path, outputs }) => [options.items.label(path), shown(outputs)]),
  )
  const title = isExecuted(run.status)
    ? 'Created so far'
    : maybeUndone === undefined
      ? 'Created or sent before the end, and not rolled back'
      : 'Created or sent before the end; steps of catch or finally ran afterwards and may have undone it'
  const all = `opsbook show ${run.run_id} --full --output json`
  return ['', options.paint.bold(title), ...outputValueLines(outputsOf, options, { all })]
}

/** How much of a value is shown. */
interface ValueLimits {
  /** Lines. */
  readonly most?: number
  /** The flags that show the whole value. */
  readonly all?: string
}

/** A value as YAML; long values are cut. */
export function outputValueLines(
  value: JsonValue,
  { paint, mask, revealMask }: ReportOptions,
  { most = mostLines, all = '--output json' }: ValueLimits = {},
): readonly string[] {
  const masked = mask.value(value)
  const lines = printable(stringify(masked, { lineWidth: 0 }))
    .trimEnd()
    .split('\n')
  const hidden = lines.length - most
  const isMasked = isJsonObject(masked) && JSON.stringify(masked) !== JSON.stringify(value)
  return [
    ...lines.slice(0, most).map((line) => `  ${line}`),
    ...(hidden > 0 ? [paint.dim(`  … ${hidden} more lines; ${all} shows all of them`)] : []),
    ...(isMasked ? [paint.dim(`  ${maskedText(value, masked, revealMask.value(value))}`)] : []),
  ]
}

/** Whether --reveal shows the masked values. It does not show keys, secrets and sensitive inputs. */
function maskedText(value: JsonValue, masked: JsonValue, revealed: JsonValue): string {
  const text = JSON.stringify(revealed)
  if (text === JSON.stringify(masked)) return 'sensitive values are masked'
  const isAll = text === JSON.stringify(value)
  return `sensitive values are masked; --reveal shows ${isAll ? 'them' : 'those of outputs'}`
}
