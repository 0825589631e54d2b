import type { ResumeComparison, StepComparison, StepFate } from '../../core/amend/resume-comparison.ts'
import { shellWord } from '../../core/shell-word.ts'
import { columns } from '../terminal/columns.ts'
import type { Paint } from '../terminal/paint.ts'
import { printableLine } from '../terminal/printable.ts'

const words: Readonly<Record<StepFate, string>> = {
  reused: 'reused',
  kept: 'kept',
  again: 'again',
  depends: 'depends',
  'needs-a-word': 'needs a word',
  skipped: 'skipped',
  'to-do': 'to do',
  new: 'new',
  removed: 'removed',
}

/** What an amendment makes of each step, for people. */
export function comparisonLines(comparison: ResumeComparison, paint: Paint): readonly string[] {
  const { run_id, runbook, plan_hash_before, plan_hash, changed_inputs, steps } = comparison
  const changes = [
    ...(plan_hash === plan_hash_before ? [] : ['another runbook']),
    ...(changed_inputs.length === 0 ? [] : [`other inputs (${printableLine(changed_inputs.join(', '))})`]),
  ]
  const changed = changes.length === 0 ? '' : ` with ${changes.join(' and ')}`
  const rows = steps.map((step) => [words[step.fate], step.path, step.action, whyText(step)])
  return [
    `${run_id} of ${printableLine(runbook)} goes on${changed}:`,
    '',
    ...columns(rows, (text, row, column) => {
      if (column !== 0) return column === 1 ? text : paint.dim(text)
      return steps[row]?.fate === 'needs-a-word' ? paint.red(text) : text
    }).map((line) => `  ${line}`),
    '',
  ]
}

function whyText({ fate, reason, is_write: isWrite, done }: StepComparison): string {
  if (reason !== undefined) return printableLine(reason)
  switch (fate) {
    case 'depends':
      return isWrite
        ? 'reused if its arguments stay the same, else the run stops before it'
        : 'reused if its arguments stay the same, else done again'
    case 'removed':
      return isWrite ? 'what it did stays' : ''
    case 'reused':
    case 'kept':
      return done > 1 ? `${done} calls` : ''
    default:
      return ''
  }
}

/** The flags to choose from, for each step that needs one. */
export function wordHints({ steps }: ResumeComparison): readonly string[] {
  return steps
    .filter(({ fate }) => fate === 'needs-a-word')
    .map(
      ({ path }) =>
        `${path}: --repeat ${shellWord(path)} does it again, --keep ${shellWord(path)} goes on with what it did`,
    )
}
