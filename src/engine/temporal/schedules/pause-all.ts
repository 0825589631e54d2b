import type { Identity } from '../../../core/events.ts'
import type { SchedulePause } from '../../../core/triggers/index.ts'
import type { TriggerPause } from '../../index.ts'
import type { ClientPorts } from '../client/client-ports.ts'
import { describeOwned, ifThere, serverIdOf } from './schedule-ids.ts'

const mark = 'with all triggers, '

/** The note of a schedule that was paused with all others. */
export function noteOfAll(pause: TriggerPause): string {
  return `${mark}${noteOfPause(pause)}`
}

/**
 * Pauses all schedules of a task queue. With `undefined`, resumes those that were paused by this; one that a person
 * has paused on its own stays paused.
 */
export async function pauseAll(ports: ClientPorts, pause: TriggerPause | undefined): Promise<void> {
  for await (const { id, described } of describeOwned(ports)) {
    const handle = ports.client.schedule.getHandle(serverIdOf(ports.taskQueue, id))
    const { paused, note = '' } = described.state
    if (pause && !paused) await ifThere(handle.pause(noteOfAll(pause)))
    if (!pause && paused && note.startsWith(mark)) await ifThere(handle.unpause('not paused any more'))
  }
}

/** The sources of a name that was checked. */
const logins = ['console', 'token', 'agent'] as const

/**
 * The note of a pause, which is all that the server keeps. The system user comes first, so no claimed name
 * replaces it.
 */
export function noteOfPause({ by, comment }: SchedulePause): string {
  if (!by) return comment ?? 'paused'
  const { name, source, user = name } = by
  const through = logins.some((login) => login === source) ? ` through ${source}` : ''
  const claimed = source === 'flag' || through !== '' ? `${through} as ${JSON.stringify(name)}` : ''
  return `paused by ${user}${claimed}${comment === undefined ? '' : `: ${comment}`}`
}

/** The pause that a note describes. Any other note is a comment. */
export function pauseOfNote(note: string | undefined): SchedulePause {
  const [, user, source, claimed, comment] =
    /^(?:with all triggers, )?paused by (.+?)(?: through (console|token|agent))?(?: as ("(?:[^"\\]|\\.)*"))?(?:: (.*))?$/s.exec(
      note ?? '',
    ) ?? []
  if (user === undefined) return note === undefined || note === '' ? {} : { comment: note }
  const by: Identity =
    claimed === undefined
      ? { name: user, source: 'system-user', user }
      : {
          name: JSON.parse(claimed) as string,
          user,
          ...(source === undefined
            ? { source: 'flag' as const }
            : { source: source as (typeof logins)[number], verified: true as const }),
        }
  return { by, ...(comment === undefined || comment === '' ? {} : { comment }) }
}
