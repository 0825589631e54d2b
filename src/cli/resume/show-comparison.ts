import { type CompareResumeOptions, compareResume } from '../../engine/embedded/index.ts'
import { CommandError } from '../command-error.ts'
import type { ResumeFlags } from '../commands/resume.ts'
import { answer, type CommandContext, tell } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { countText } from '../terminal/count-text.ts'
import { comparisonLines, wordHints } from './comparison-lines.ts'

/** Shows what the flags would do, and does nothing. */
export function answerComparison(
  options: CompareResumeOptions,
  { output }: ResumeFlags,
  context: CommandContext,
): ExitCode {
  const comparison = compareResume(options)
  if (output === 'text') answer(context, comparisonLines(comparison, context.paint).slice(0, -1))
  else answer(context, JSON.stringify(comparison, null, output === 'json' ? 2 : 0))
  const hints = wordHints(comparison)
  if (hints.length > 0) throw needsWord(hints)
  return exitCodes.succeeded
}

/** Shows on stderr what the flags will do, before anything is done. Throws where a step needs a word first. */
export function tellComparison(
  options: CompareResumeOptions,
  { output, quiet }: ResumeFlags,
  context: CommandContext,
): void {
  const comparison = compareResume(options)
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
