import type { Mask } from '../../../core/mask/mask.ts'
import { isCarriedOut } from '../../../core/record/run-record.ts'
import { countText } from '../../terminal/count-text.ts'
import { durationText } from '../../terminal/duration-text.ts'
import { printableLine } from '../../terminal/printable.ts'
import type { ItemNames } from '../follow/item-names.ts'
import type { RunState } from '../follow/run-state.ts'
import { stepSign } from '../follow/step-sign.ts'
import { failureLines } from './failure-lines.ts'
import { fileLines } from './file-lines.ts'
import { nextLines } from './next-lines.ts'
import { madeLines, outputLines } from './output-lines.ts'
import type { ReportedRun } from './reported-run.ts'
import { stepTable, type TableOptions } from './step-table.ts'
import { verdictSigns, verdictText } from './verdicts.ts'
import { warningLines } from './warning-lines.ts'

/** How a report is written. */
export interface ReportOptions extends TableOptions {
  /** Hides what is not to be shown. */
  readonly mask: Mask
  readonly items: ItemNames
  /** What belongs at the end of commands that are named, such as `--data-dir data`. */
  readonly flags: string
  /** What is known of calls that need a decision. */
  readonly undecided?: readonly string[]
  /** Paths of the calls that still need a decision. Left out: the record was not read. */
  readonly undecidedPaths?: readonly string[] | undefined
}

/** A run for people: what became of each step, what went wrong and where, what came out, what to do next. */
export function reportLines(run: ReportedRun, state: RunState, options: ReportOptions): readonly string[] {
  const lines = [
    headLine(run, state, options),
    '',
    ...stepTable(run, state, options),
    ...failureLines(run, state, options),
    ...warningLines(run, state, options),
    ...(run.status === 'succeeded' ? outputLines(run, options) : madeLines(state, options)),
    ...fileLines(run, options),
    ...(options.undecided ?? []),
    ...nextLines(run, state, options),
  ]
  return lines.map((line) => options.mask.text(line))
}

function headLine(run: ReportedRun, state: RunState, options: ReportOptions): string {
  const { paint } = options
  const isOpen = isCarriedOut(run.status)
  // A process that died has left no end but what it told of last.
  const lastAt = run.ended_at === undefined ? state.lastAt : Date.parse(run.ended_at)
  const ended = isOpen ? options.now : (lastAt ?? options.now)
  const time = durationText(ended - Date.parse(run.started_at))
  const count = (run.warnings?.length ?? 0) + (run.warnings_left_out ?? 0)
  const warned = count === 0 ? '' : `, with ${countText(count, 'warning')}`
  const sign = stepSign(verdictSigns[run.status], options)
  const name = paint.bold(printableLine(run.runbook))
  return `${sign} ${name} ${verdictText(run)} ${time}${warned}  ${paint.dim(run.run_id)}`
}
