import type { ResumeComparison } from '../../core/amend/resume-comparison.ts'
import { CommandError } from '../command-error.ts'
import type { ResumeFlags } from '../commands/resume.ts'
import { answer, type CommandContext, tell } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { countText } from '../terminal/count-text.ts'
import { comparisonLines, wordHints } from './comparison-lines.ts'

/** Shows what the flags would do, and does nothing. */
export function answerComparison(
  comparison: ResumeComparison,
  { output }: ResumeFlags,
  context: CommandContext,
): ExitCode {
  if (output === 'text') answer(context, comparisonLines(comparison, context.paint).slice(0, -1))
  else answer(context, JSON.stringify(comparison, null, output === 'json' ? 2 : 0))
  const hints = wordHints(comparison)
  if (hints.length > 0) throw needsWord(hints)
  return exitCodes.succeeded
}

/** Shows on stderr what the flags will do, before anything is done. Throws where a step needs a word first. */
export function tellComparison(
  comparison: ResumeComparison,
  { output, quiet }: ResumeFlags,
  context: CommandContext,
): void {
  const hints = wordHints(comparison)
  const isShown = output === 'text' && (!quiet || hints.length > 0)
  if (isShown) tell(context, comparisonLines(comparison, context.errorPaint))
  if (hints.length > 0) throw needsWord(hints)
}

function needsWord(hints: readonly string[]): CommandError {
  const count = countText(hints.length, 'step')
  return new CommandError(
    exitCodes.usage,
    `${count} may have done already what would be done now; nothing was changed`,
    { hints },
  )
}
