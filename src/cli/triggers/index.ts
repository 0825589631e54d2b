/** `opsbook triggers pause` and `triggers unpause`: the one switch for everything that starts by itself. */
import { CommandError } from '../command-error.ts'
import type { TriggersFlags } from '../commands/triggers.ts'
import type { CommandContext } from '../context.ts'
import { withEventBook } from '../engine/with-event-book.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readWho } from '../read-who.ts'
import { tellDone } from '../terminal/tell-done.ts'

export function setTriggers(
  context: CommandContext,
  kind: 'pause' | 'unpause',
  flags: TriggersFlags,
): Promise<ExitCode> {
  const who = readWho(flags)
  return withEventBook(context, flags, async (book) => {
    const pause = { ...who, since: new Date().toISOString() }
    const before = await book.readPause()
    if ((before !== undefined) === (kind === 'pause')) {
      const message = before
        ? `triggers are paused already, by ${before.by} since ${before.since}`
        : 'triggers are not paused'
      throw new CommandError(exitCodes.usage, message)
    }
    await book.setPause(kind === 'pause' ? pause : undefined)
    tellDone(context, flags, {
      document: kind === 'pause' ? { paused: pause } : { paused: null },
      text:
        kind === 'pause'
          ? 'nothing starts by itself any more; events are recorded, and runs that go on are not touched'
          : 'events and schedules start runs again',
      ...(kind === 'pause' ? { next: 'triggers unpause' } : {}),
    })
    return exitCodes.succeeded
  })
}
