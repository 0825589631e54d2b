import { identityText } from '../../core/record/identity.ts'
import type { TriggerPause } from '../../engine/event-book.ts'
import type { EngineFlags } from '../commands/options.ts'
import { placeFlags } from '../configuration/place-flags.ts'
import { type CommandContext, tell } from '../context.ts'
import { printableLine } from '../terminal/printable.ts'

/** Says that nothing starts by itself, where that is so. */
export function tellPause(
  context: CommandContext,
  pause: TriggerPause | undefined,
  flags: EngineFlags,
): void {
  if (!pause) return
  const why = pause.comment === undefined ? '' : `: ${pause.comment}`
  const head = context.errorPaint.yellow('paused')
  tell(context, [
    `${head} by ${printableLine(identityText(pause.by))} since ${pause.since}${printableLine(why)}; nothing starts by itself`,
    `  ${`opsbook triggers unpause ${placeFlags(flags)}`.trim()}`,
  ])
}
