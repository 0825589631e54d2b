/** `opsbook triggers`: whether anything starts by itself. */
import type { TriggerPause } from '../../engine/event-book.ts'
import type { TriggersStateFlags } from '../commands/triggers.ts'
import type { CommandContext } from '../context.ts'
import { withEventBook } from '../engine/with-event-book.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { tellDone } from '../terminal/tell-done.ts'
import { allPausedText } from './paused-text.ts'

/** Says whether all starting is paused, by whom and why. */
export async function showTriggers(context: CommandContext, flags: TriggersStateFlags): Promise<ExitCode> {
  const pause = await withEventBook<TriggerPause | undefined>(
    context,
    flags,
    (book) => book.readPause(),
    // Nobody has paused anything where nothing is.
    () => undefined,
  )
  tellDone(context, flags, {
    document: { paused: pause ?? null },
    text: pause ? allPausedText(pause) : 'events and schedules start runs: nobody has paused them',
    next: pause ? 'triggers unpause' : 'triggers pause',
  })
  return exitCodes.succeeded
}
