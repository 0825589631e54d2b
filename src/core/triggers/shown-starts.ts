import { identityText } from '../people/identity.ts'
import { refused } from '../run-error.ts'
import type { ScheduleFire, SchedulePause } from './schedule-record.ts'

/** Names a pause as a person sees it: since when, `paused` where that is not known, or `active` without one. */
export function pauseWord(pause: SchedulePause | undefined): string {
  return pause === undefined ? 'active' : (pause.since ?? 'paused')
}

/** Names the starts of a schedule as a person sees them: by the last of its times, the newest first, or `never`. */
export function startsWord([last]: readonly ScheduleFire[]): string {
  return last?.at ?? 'never'
}

/**
 * Throws `InvalidInput` if automatic starts stand otherwise than a person saw them. `starts`: the subject, such as
 * `automatic starts were`. `shown`: their word then; left out: the person saw nothing.
 */
export function refuseChangedPause(
  starts: string,
  now: SchedulePause | undefined,
  shown: string | undefined,
): void {
  if (shown === undefined || shown === pauseWord(now)) return
  const by = now?.by === undefined ? '' : ` by ${identityText(now.by)}`
  throw refused(`${starts} ${now === undefined ? 'unpaused' : `paused${by}`} since that was shown`)
}

/** Throws `InvalidInput` if a schedule has had a time, or was started, since a person saw it. */
export function refuseStartedSince(
  id: string,
  last: readonly ScheduleFire[],
  shown: string | undefined,
): void {
  if (shown === undefined || shown === startsWord(last)) return
  throw refused(`${id} was started since that was shown`)
}
