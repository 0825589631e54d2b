import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { errorRule } from '../../core/errors.ts'
import type { ErrorData } from '../../core/run-error.ts'
import type { RunReport } from '../../engine/embedded/index.ts'
import { columns } from '../terminal/columns.ts'
import { durationText } from '../terminal/duration-text.ts'
import type { Mask } from '../terminal/mask.ts'
import { printable, printableLine } from '../terminal/printable.ts'
import type { RunState } from './follow/run-state.ts'
import { type Style, stepSign } from './follow/step-line.ts'

/** How a report is written. */
export interface ReportOptions extends Style {
  /** Hides what is sensitive; undefined shows it. */
  readonly mask: Mask
}

const mostOutputLines = 100
const mostFiles = 10

/** A run that has ended, for people: what became of each step, what went wrong and what to do, what came out. */
export function reportLines(report: RunReport, state: RunState, options: ReportOptions): readonly string[] {
  const lines = [
    headLine(report, options),
    '',
    ...stepTable(report, options),
    ...failureLines(report, state, options),
    ...interruptionLines(report, options),
    ...warningLines(state, options),
    ...outputLines(report, options),
    ...fileLines(report, options),
  ]
  return lines.map((line) => options.mask.text(line))
}

function headLine(report: RunReport, { paint, ...style }: ReportOptions): string {
  const sign = stepSign(report.status === 'interrupted' ? 'cancelled' : report.status, { paint, ...style })
  const time = durationText(Date.parse(report.ended_at) - Date.parse(report.started_at))
  const verdict = report.status === 'unknown' ? 'needs a decision: an outcome is unknown,' : report.status
  return `${sign} ${paint.bold(report.runbook)} ${verdict} after ${time}  ${paint.dim(report.run_id)}`
}

function stepTable({ steps }: RunReport, style: ReportOptions): readonly string[] {
  const rows = steps.map((step) => [
    step.path,
    step.name ?? step.action,
    stepStatus(step.status),
    step.started_at && step.ended_at
      ? durationText(Date.parse(step.ended_at) - Date.parse(step.started_at))
      : '',
    step.attempts > 1 ? `${step.attempts} calls` : '',
  ])
  const { paint } = style
  const painted = columns(rows, (cell, row, column) => {
    const isIdle = steps[row]?.status === 'pending' || steps[row]?.status === 'skipped'
    return isIdle || column === 1 || column === 4 ? paint.dim(cell) : cell
  })
  return painted.map(
    (line, row) => `  ${stepSign(shownStatus(steps[row]?.status), style)} ${printableLine(line)}`,
  )
}

function stepStatus(status: RunReport['steps'][number]['status']): string {
  if (status === 'pending') return 'not started'
  return status === 'running' ? 'stopped' : status
}

/** Nothing runs any more when the report is written. */
function shownStatus(status: RunReport['steps'][number]['status'] = 'pending'): typeof status {
  return status === 'running' ? 'cancelled' : status
}

function failureLines(report: RunReport, state: RunState, options: ReportOptions): readonly string[] {
  const failed = report.steps.filter(({ error }) => error !== undefined)
  const blocks = failed.map(({ path, error }) => errorBlock(path, error as ErrorData, state, options))
  const isOwn = report.error !== undefined && failed.length === 0 && report.status !== 'interrupted'
  return [
    ...blocks,
    ...(isOwn ? [errorBlock(report.error?.path ?? 'run', report.error as ErrorData, state, options)] : []),
  ].flat()
}

function errorBlock(
  path: string,
  error: ErrorData,
  state: RunState,
  { paint }: ReportOptions,
): readonly string[] {
  const { code, message, requestId } = error
  const failures = state.stepOf(path)?.failures ?? []
  return [
    '',
    `${paint.red(`${path}: ${code}`)}  ${printableLine(message)}`,
    ...failures.map(
      (failure) => `  item ${failure.index}: ${failure.code}: ${printableLine(failure.message)}`,
    ),
    ...(requestId === undefined ? [] : [`  ${paint.dim('request id')}  ${printableLine(requestId)}`]),
    `  ${paint.dim('next')}        ${errorRule(code).next}`,
  ]
}

function interruptionLines(report: RunReport, { paint }: ReportOptions): readonly string[] {
  if (report.status !== 'interrupted') return []
  const ended = report.steps.filter(({ status }) => status !== 'pending' && status !== 'running').length
  return [
    '',
    paint.yellow(
      `Interrupted: ${ended} of ${report.steps.length} steps ended, and what they did stays done.`,
    ),
    'The journal keeps them under this run id. This version starts again from the first step: opsbook run.',
  ]
}

function warningLines({ warnings }: RunState, { paint }: ReportOptions): readonly string[] {
  if (warnings.length === 0) return []
  return [
    '',
    ...warnings.map(({ path, message }) => `${paint.yellow('warning:')} ${path}: ${printableLine(message)}`),
  ]
}

function outputLines({ outputs }: RunReport, { paint, mask }: ReportOptions): readonly string[] {
  if (outputs === undefined || Object.keys(outputs).length === 0) return []
  const masked = mask.value(outputs)
  const lines = printable(stringify(masked, { lineWidth: 0 }))
    .trimEnd()
    .split('\n')
  const hidden = lines.length - mostOutputLines
  const isMasked = JSON.stringify(masked) !== JSON.stringify(outputs)
  return [
    '',
    paint.bold('Outputs'),
    ...lines.slice(0, mostOutputLines).map((line) => `  ${line}`),
    ...(hidden > 0 ? [paint.dim(`  … ${hidden} more lines; --output json has them all`)] : []),
    ...(isMasked ? [paint.dim('  sensitive values are masked; --reveal shows them')] : []),
  ]
}

function fileLines({ artifacts_dir }: RunReport, { paint }: ReportOptions): readonly string[] {
  const files = listFiles(artifacts_dir)
  if (files.length === 0) return []
  const hidden = files.length - mostFiles
  return [
    '',
    `${paint.bold('Files')} in ${artifacts_dir}`,
    ...files.slice(0, mostFiles).map((file) => `  ${printableLine(file)}`),
    ...(hidden > 0 ? [paint.dim(`  … and ${hidden} more`)] : []),
  ]
}

function listFiles(folder: string, under = ''): readonly string[] {
  try {
    return readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) => {
      const path = join(under, entry.name)
      return entry.isDirectory() ? listFiles(folder, path) : [path]
    })
  } catch {
    return []
  }
}
