/** `opsbook triggers pause` and `triggers unpause`: the one switch for everything that starts by itself. */
import { identityText } from '../../core/record/identity.ts'
import type { TriggerPause } from '../../engine/event-book.ts'
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
    // Again, too: what was left halfway is done now. Who was first stays on record.
    const paused = kind === 'pause' ? (before ?? pause) : undefined
    await book.setPause(paused)
    tellDone(context, flags, {
      document: { paused: paused ?? null },
      text: textOf(kind, before),
      ...(kind === 'pause' ? { next: 'triggers unpause' } : {}),
    })
    return exitCodes.succeeded
  })
}

function textOf(kind: 'pause' | 'unpause', before: TriggerPause | undefined): string {
  if (kind === 'unpause') return before ? 'events and schedules start runs again' : 'triggers are not paused'
  return before
    ? `triggers are paused already, by ${identityText(before.by)} since ${before.since}`
    : 'nothing starts by itself any more; events are recorded, and runs that go on are not touched'
}
