import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isExecuted } from '../../../core/record/index.ts'
import { printableLine } from '../../../project/text/index.ts'
import type { RunTree } from '../../../view/run/index.ts'
import { countText, durationText } from '../../shared/terminal/quantity-text.ts'
import { isAwaiting, type Style, stepSign } from '../follow/step-sign.ts'
import { failureLines, warningLines } from './failure-lines.ts'
import { nextLines } from './next-lines.ts'
import { madeLines, outputLines } from './output-lines.ts'
import { type ReportedRun, type ReportOptions, verdictSigns, verdictText } from './reported-run.ts'

import { stepTable } from './step-table.ts'
import { unknownOutcomeLines } from './unknown-outcome-lines.ts'

/** The report of a run: its steps, failures, outputs, files and what to do next. */
export function reportLines(run: ReportedRun, state: RunTree, options: ReportOptions): readonly string[] {
  const lines = [
    headLine(run, state, options),
    '',
    ...stepTable(run, state, options),
    ...failureLines(run, state, options),
    ...warningLines(run, state, options),
    ...(run.status === 'succeeded' ? outputLines(run, options) : madeLines(run, state, options)),
    ...fileLines(run, options),
    ...unknownOutcomeLines(run, options),
    ...nextLines(run, state, options),
  ]
  return lines.map((line) => options.mask.text(line))
}

function headLine(run: ReportedRun, state: RunTree, options: ReportOptions): string {
  const { paint } = options
  const isOpen = isExecuted(run.status)
  // A process that died has recorded no end; its last event is the best estimate.
  const lastAt = run.ended_at === undefined ? state.lastAt : Date.parse(run.ended_at)
  const ended = isOpen ? options.now : (lastAt ?? options.now)
  // How long a process lived that was killed in a wait is not known.
  const isInWait = state.status === undefined && state.steps.some((step) => isAwaiting(step, ended))
  const verdict =
    run.status === 'interrupted' && isInWait
      ? 'interrupted while waiting'
      : `${verdictText(run)} ${durationText(ended - Date.parse(run.started_at))}`
  const count = (run.warnings?.length ?? 0) + (run.warnings_left_out ?? 0)
  const warned = count === 0 ? '' : `, with ${countText(count, 'warning')}`
  const sign = stepSign(verdictSigns[run.status], options)
  const name = paint.bold(printableLine(run.runbook))
  return `${sign} ${name} ${verdict}${warned}  ${paint.dim(run.run_id)}`
}

const mostFiles = 10

/** The files that steps wrote. */
function fileLines({ artifacts_dir }: ReportedRun, { paint }: Style): readonly string[] {
  const files = listFiles(artifacts_dir)
  if (files.length === 0) return []
  const hidden = files.length - mostFiles
  return [
    '',
    `${paint.bold('Files')} in ${printableLine(artifacts_dir)}`,
    ...files.slice(0, mostFiles).map((file) => `  ${printableLine(file)}`),
    ...(hidden > 0 ? [paint.dim(`  … and ${hidden} more`)] : []),
  ]
}

/** Lists the files in a folder; none if it does not exist. */
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
