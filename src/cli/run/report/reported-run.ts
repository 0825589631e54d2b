import type { RunOutcome } from '../../../core/interpret.ts'
import type { Mask } from '../../../core/mask/index.ts'
import type { QuestionRecord } from '../../../core/people/index.ts'
import {
  type ControlRequestRecord,
  isExecuted,
  type PlaceInLine,
  type RecordedStatus,
  type StepRecord,
} from '../../../core/record/index.ts'
import type { UnknownOutcome } from '../../../documents/index.ts'
import type { EngineFlags } from '../../../project/index.ts'
import { locationFlags } from '../../../project/text/index.ts'
import type { ItemNames } from '../../../view/run/index.ts'
import type { CommandContext } from '../../shared/context.ts'
import { chooseSymbols } from '../../shared/terminal/symbols.ts'
import type { Sign, Style } from '../follow/step-sign.ts'

/** How a report is written. */
export interface ReportOptions extends TableOptions {
  /** Masks what the report must not show. */
  readonly mask: Mask
  /** Masks what `--reveal` does not show either. */
  readonly revealMask: Mask
  readonly items: ItemNames
  /** Flags to add to printed commands, such as `--data-dir data`. */
  readonly flags: string
}

/** How the reports of a command are written. */
export function reportOptions(
  { paint, io }: CommandContext,
  items: ItemNames,
  masks: Pick<ReportOptions, 'mask' | 'revealMask'>,
  flags: EngineFlags = {},
): ReportOptions {
  return {
    items,
    paint,
    symbols: chooseSymbols(io.env),
    ...masks,
    width: io.stdout.columns,
    now: Date.now(),
    flags: locationFlags(flags),
  }
}

/** How the table is written. */
export interface TableOptions extends Style {
  /** Columns of the terminal, if it goes to one. */
  readonly width: number | undefined
  /** Unix time in milliseconds, for an open run. */
  readonly now: number
  /** Every step, also those that succeeded inside loops. */
  readonly isFull?: boolean
}

/** The sign of a run, by its status. */
export const verdictSigns: Readonly<Record<RecordedStatus, Sign>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  unknown: 'unknown',
  interrupted: 'failed',
  queued: 'waiting',
  running: 'running',
  waiting: 'waiting',
  paused: 'waiting',
}

const verdicts: Readonly<Record<RecordedStatus, string>> = {
  succeeded: 'succeeded after',
  failed: 'failed after',
  cancelled: 'cancelled after',
  unknown: 'needs a decision after',
  interrupted: 'interrupted after',
  queued: 'queued for',
  running: 'running for',
  waiting: 'waiting, running for',
  paused: 'paused, open for',
}

/** Whether a cancellation was requested, and the process of the run is executing it. */
export function isBeingCancelled({
  status,
  control_requests = [],
}: Pick<ReportedRun, 'status' | 'control_requests'>): boolean {
  const isWanted = control_requests.some(
    ({ kind, taken_at, over_at }) =>
      (kind === 'cancel' || kind === 'cancel-now') && taken_at !== undefined && over_at === undefined,
  )
  return isWanted && isExecuted(status)
}

/** The status of a run as text, followed by its duration. */
export function verdictText(run: Pick<ReportedRun, 'status' | 'control_requests' | 'questions'>): string {
  if (isBeingCancelled(run)) return 'being cancelled, running for'
  return run.status === 'waiting' ? waitingText(run.questions) : verdicts[run.status]
}

/** A run that waits and asks nothing waits for an event. */
function waitingText(questions: ReportedRun['questions']): string {
  if (questions === undefined) return verdicts.waiting
  const open = questions.filter(({ status }) => status === 'open')
  const kinds = [
    ...(open.some(({ schema }) => schema === undefined) ? ['approval'] : []),
    ...(open.some(({ schema }) => schema !== undefined) ? ['an answer'] : []),
  ]
  return `waiting for ${kinds.length === 0 ? 'an event' : kinds.join(' and ')}, running for`
}

/** A run in a report: one that this process executed, or one of the record, which can be open. */
export interface ReportedRun extends Omit<RunOutcome, 'status'> {
  readonly run_id: string
  readonly runbook: string
  readonly status: RecordedStatus
  readonly started_at: string
  readonly ended_at?: string
  /** What a queued run waits for. */
  readonly place_in_line?: PlaceInLine
  readonly steps: readonly StepRecord[]
  readonly questions?: readonly QuestionRecord[]
  readonly control_requests?: readonly ControlRequestRecord[]
  /** Calls with an unknown outcome. Left out: none, or the record was not read. */
  readonly unknown_outcomes?: readonly UnknownOutcome[]
  readonly artifacts_dir: string
}
