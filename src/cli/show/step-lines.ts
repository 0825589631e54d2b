import { adviceOf, failureIn, type RunJournal } from '../../acts/reads/run/index.ts'
import type { RunRecord } from '../../core/record/index.ts'
import { shellWord } from '../../core/text/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { enclosingPaths } from '../../view/run/index.ts'
import type { ReportOptions } from '../run/report/reported-run.ts'
import { artifactLines } from './file-lines.ts'
import { detailText, type JournalEntry } from './journal/entry.ts'
import { journalEntries, journalLines } from './journal/journal-lines.ts'

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
    ...stepJournal(run, journal, step, options),
    ...artifactLines(run, options),
  ]
}

/** After this many lines, the journal of a step only counts its entries. */
const mostOfStep = 1000

function stepJournal(
  run: RunRecord,
  journal: RunJournal,
  step: string,
  options: ReportOptions,
): readonly string[] {
  const itemOf = ({ path = '' }: JournalEntry): number =>
    path.startsWith(`${step}[`) ? Number.parseInt(path.slice(`${step}[`.length), 10) : -1
  const whole = journalEntries(run, journal, options, Number.POSITIVE_INFINITY)
  const entries = [...whole].sort((one, other) => itemOf(one) - itemOf(other))
  const lines: string[] = []
  let shown = 0
  for (const block of journalLines(entries, options)) {
    if (lines.length >= mostOfStep) break
    lines.push(...block)
    shown++
  }
  const [{ path = '' } = {}] = entries.slice(shown)
  if (shown === entries.length) return lines
  const inner = [...enclosingPaths(path).slice(-1), path].find((one) => one !== step && one !== '')
  const command = ['opsbook show', run.run_id, shellWord(inner ?? ''), options.flags].join(' ').trimEnd()
  const one = inner === undefined ? '' : `"${command}" shows one, `
  const more = `… ${entries.length - shown} more; ${one}"--failed" what did not succeed, "--output json" all`
  return [...lines, '', ...detailText(more, options)]
}
