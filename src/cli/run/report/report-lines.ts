import type { RunReport } from '../../../engine/embedded/index.ts'
import { durationText } from '../../terminal/duration-text.ts'
import type { Mask } from '../../terminal/mask.ts'
import { printableLine } from '../../terminal/printable.ts'
import type { RunState } from '../follow/run-state.ts'
import { type Style, stepSign } from '../follow/step-sign.ts'
import { failureLines } from './failure-lines.ts'
import { fileLines } from './file-lines.ts'
import { madeLines, outputLines } from './output-lines.ts'
import { stepTable } from './step-table.ts'

/** How a report is written. */
export interface ReportOptions extends Style {
  /** Hides what is not to be shown. */
  readonly mask: Mask
  /** Columns of the terminal, if it goes to one. */
  readonly width: number | undefined
}

/** A run that has ended, for people: what became of each step, what went wrong and what to do, what came out. */
export function reportLines(report: RunReport, state: RunState, options: ReportOptions): readonly string[] {
  const lines = [
    headLine(report, options),
    '',
    ...stepTable(report, state, options, options.width),
    ...failureLines(report, state, options),
    ...interruptionLines(report, options),
    ...warningLines(state, options),
    ...(report.status === 'succeeded' ? outputLines(report, options) : madeLines(state, options)),
    ...fileLines(report, options),
  ]
  return lines.map((line) => options.mask.text(line))
}

function headLine({ status, ...report }: RunReport, style: ReportOptions): string {
  const { paint } = style
  const sign = stepSign(status === 'interrupted' ? 'cancelled' : status, style)
  const time = durationText(Date.parse(report.ended_at) - Date.parse(report.started_at))
  const verdict = status === 'unknown' ? 'needs a decision' : status
  return `${sign} ${paint.bold(printableLine(report.runbook))} ${verdict} after ${time}  ${paint.dim(report.run_id)}`
}

function interruptionLines(report: RunReport, { paint }: ReportOptions): readonly string[] {
  if (report.status !== 'interrupted') return []
  const ended = report.steps.filter(({ status }) => status !== 'pending' && status !== 'interrupted').length
  return [
    '',
    paint.yellow(
      `Interrupted: ${ended} of ${report.steps.length} steps ended, and what they did stays done.`,
    ),
    'The journal keeps them under this run id. This version cannot go on from there: "opsbook run" begins anew.',
  ]
}

function warningLines({ warnings }: RunState, { paint }: ReportOptions): readonly string[] {
  if (warnings.length === 0) return []
  return [
    '',
    ...warnings.map(({ path, message }) => `${paint.yellow('warning:')} ${path}: ${printableLine(message)}`),
  ]
}
