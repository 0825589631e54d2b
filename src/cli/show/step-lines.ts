import { adviceOf, failureIn, type RunJournal } from '../../acts/reads/run/index.ts'
import type { RunRecord } from '../../core/record/index.ts'
import { printableLine } from '../../project/text/index.ts'
import type { ReportOptions } from '../run/report/reported-run.ts'
import { artifactLines } from './file-lines.ts'
import { journalLines } from './journal/journal-lines.ts'

/** A step with everything that it was sent and has answered, in order of time, a loop by item. */
export function stepLines(
  run: RunRecord,
  journal: RunJournal,
  step: string,
  options: ReportOptions,
): readonly string[] {
  const { paint } = options
  const [own] = run.steps.filter(({ path }) => path === step)
  const isWaiting = run.questions.some(({ status }) => status === 'open')
  const status = own === undefined ? '' : `  ${isWaiting ? 'waiting' : own.status}`
  const failure = failureIn(journal.events, step)
  const { advice = '' } = failure === undefined ? {} : adviceOf(failure, run)
  return [
    `${paint.bold(printableLine(step))}${status}  ${paint.dim(`of ${printableLine(run.runbook)}, ${run.run_id}`)}`,
    ...(failure === undefined ? [] : [`${paint.red(failure.code)}  ${printableLine(failure.message)}`]),
    ...(advice === '' ? [] : [`  ${paint.dim('next')}  ${printableLine(advice)}`]),
    '',
    ...[...journalLines(run, journal, options, step)].flat(),
    ...artifactLines(run, options),
  ]
}
