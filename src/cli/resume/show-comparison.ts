import { choiceHints, refuseChoices } from '../../acts/resume/index.ts'
import type { ResumeComparison, StepComparison } from '../../core/resume/index.ts'
import type { Paint } from '../../project/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { fateWords } from '../../view/text/index.ts'
import { answer, type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { columns } from '../shared/terminal/columns.ts'
import type { ResumeFlags } from './read-changes.ts'

/** Shows what the flags would do, and changes nothing. */
export function answerComparison(
  comparison: ResumeComparison,
  { output }: ResumeFlags,
  context: CommandContext,
): ExitCode {
  if (output === 'text') answer(context, comparisonLines(comparison, context.paint).slice(0, -1))
  else answer(context, JSON.stringify(comparison, null, output === 'json' ? 2 : 0))
  refuseChoices(comparison)
  return exitCodes.succeeded
}

/** Shows on stderr what the flags will do. Throws if the user must first choose for a step. */
export function tellComparison(
  comparison: ResumeComparison,
  { output, quiet }: ResumeFlags,
  context: CommandContext,
): void {
  const hints = choiceHints(comparison)
  const isShown = output === 'text' && (!quiet || hints.length > 0)
  if (isShown) tell(context, comparisonLines(comparison, context.errorPaint))
  refuseChoices(comparison)
}

/** What the changes mean for each step, as text. */
function comparisonLines(comparison: ResumeComparison, paint: Paint): readonly string[] {
  const { run_id, runbook, plan_hash_before, plan_hash, changed_inputs, steps } = comparison
  const changes = [
    ...(plan_hash === plan_hash_before ? [] : ['another runbook']),
    ...(changed_inputs.length === 0 ? [] : [`other inputs (${printableLine(changed_inputs.join(', '))})`]),
  ]
  const changed = changes.length === 0 ? '' : ` with ${changes.join(' and ')}`
  const rows = steps.map((step) => [fateWords[step.fate], step.path, step.action, whyText(step)])
  return [
    `${run_id} of ${printableLine(runbook)} resumes${changed}:`,
    '',
    ...columns(rows, (text, row, column) => {
      if (column !== 0) return column === 1 ? text : paint.dim(text)
      return steps[row]?.fate === 'needs-choice' ? paint.red(text) : text
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
        : 'reused if its arguments stay the same, else repeated'
    case 'removed':
      return isWrite ? 'its results stay' : ''
    case 'reused':
    case 'kept':
      return done > 1 ? `${done} calls` : ''
    default:
      return ''
  }
}
