import { shellWord } from '../../../core/shell-word.ts'
import type { AskHere } from '../../../engine/engine.ts'
import { placeFlags } from '../../configuration/place-flags.ts'
import { type CommandContext, tell } from '../../context.ts'
import { printable, printableLine } from '../../terminal/printable.ts'
import type { RunViews, ViewOptions } from '../open-views.ts'
import { askOnTerminal } from './ask-on-terminal.ts'
import { createTurns } from './turns.ts'

/**
 * Who answers the questions of a run: with a terminal the person at it, one question at a time. Without one it is said
 * that the run waits, and for which command.
 */
export function createAsker(
  context: CommandContext,
  options: ViewOptions,
  { follower, mask, state }: RunViews,
): AskHere {
  const { io } = context
  const isTerminal = io.stdin.isTTY === true && io.stderr.isTTY === true
  const inTurn = createTurns()
  return async (question, signal) => {
    if (!isTerminal) {
      const command = ['opsbook approve', state.runId ?? 'RUN', shellWord(question.path), placeFlags(options)]
        .join(' ')
        .trim()
      const text = `nobody can be asked here: ${state.items.label(question.path)} waits for "${command}" or "${command.replace('approve', 'reject')}"`
      // A run that waits for ever is more than progress: it is told however quiet the run is to be.
      if (options.quiet) tell(context, text)
      else follower.say(text)
      return undefined
    }
    return inTurn(async () => {
      if (signal.aborted) return undefined
      follower.pause()
      const clean = (text: string): string => printableLine(mask.text(text))
      const path = clean(state.items.label(question.path))
      const asked = { ...question, path, message: printable(mask.text(question.message)) }
      try {
        return await askOnTerminal(context, asked, signal, clean)
      } finally {
        follower.goOn()
      }
    })
  }
}
