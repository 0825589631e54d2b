/** `opsbook triggers`: the pause of all automatic starts. */

import { readWho, type WhoFlags } from '../../acts/index.ts'
import { setTriggers } from '../../acts/triggers/index.ts'
import { identityText } from '../../core/people/index.ts'
import type { TriggerPause } from '../../engine/index.ts'
import { withEventStore } from '../../project/engine/index.ts'
import type { EngineFlags } from '../../project/index.ts'
import { answerDone, type CommandContext } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import { momentText } from '../shared/terminal/quantity-text.ts'

/** The flags of `triggers` alone. */
export interface TriggersStateFlags extends EngineFlags, OutputFlags {}

/** The flags of `triggers pause` and `triggers unpause`, as the parser hands them over. */
export interface TriggersFlags extends WhoFlags, EngineFlags, OutputFlags {}

/** Prints whether automatic starts are paused, by whom and why. */
export async function showTriggers(context: CommandContext, flags: TriggersStateFlags): Promise<void> {
  const pause = await withEventStore<TriggerPause | undefined>(
    context,
    flags,
    (events) => events.readPause(),
    // Without a database, nothing is paused.
    () => undefined,
  )
  answerDone(context, flags, {
    document: { paused: pause ?? null },
    text: pause ? allPausedText(pause) : 'events and schedules start runs: they are not paused',
    next: pause ? 'triggers unpause' : 'triggers pause',
  })
}

/** Who paused all automatic starts, since when and why. */
export function allPausedText({ by, since, comment }: TriggerPause): string {
  return `automatic starts are paused by ${identityText(by)} since ${momentText(Date.parse(since))}${comment === undefined ? '' : `: ${comment}`}`
}

/** Pauses or resumes all automatic starts. */
export async function changeTriggers(
  context: CommandContext,
  kind: 'pause' | 'unpause',
  flags: TriggersFlags,
): Promise<void> {
  const { paused, before } = await setTriggers(kind, readWho(flags), context, flags)
  answerDone(context, flags, {
    document: { paused },
    text: textOf(kind, before),
    ...(kind === 'pause' ? { next: 'triggers unpause' } : {}),
  })
}

function textOf(kind: 'pause' | 'unpause', before: TriggerPause | undefined): string {
  if (kind === 'unpause') return before ? 'events and schedules start runs again' : 'triggers are not paused'
  return before
    ? `triggers are already paused, by ${identityText(before.by)} since ${momentText(Date.parse(before.since))}`
    : 'automatic starts are paused; events are still recorded, and open runs are not affected'
}
