import { identityText } from '../../core/record/identity.ts'
import type { TriggerPause } from '../../engine/event-book.ts'

/** Who has paused everything that starts by itself, since when and why. */
export function allPausedText({ by, since, comment }: TriggerPause): string {
  return `all starting is paused by ${identityText(by)} since ${since}${comment === undefined ? '' : `: ${comment}`}`
}
