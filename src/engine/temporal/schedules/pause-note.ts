import type { Identity } from '../../../core/record/identity.ts'
import type { SchedulePause } from '../../../core/triggers/schedule-record.ts'

/** The text of a pause: all that the server keeps of one. The system user comes first, so no claimed name replaces it. */
export function noteOfPause({ by, comment }: SchedulePause): string {
  if (!by) return comment ?? 'paused'
  const { name, source, user = name } = by
  const claimed = source === 'flag' ? ` as ${JSON.stringify(name)}` : ''
  return `paused by ${user}${claimed}${comment === undefined ? '' : `: ${comment}`}`
}

/** The pause that a text tells of. One that was not written here is a comment. */
export function pauseOfNote(note: string | undefined): SchedulePause {
  const [, user, claimed, comment] =
    /^(?:with all triggers, )?paused by (.+?)(?: as ("(?:[^"\\]|\\.)*"))?(?:: (.*))?$/s.exec(note ?? '') ?? []
  if (user === undefined) return note === undefined || note === '' ? {} : { comment: note }
  const by: Identity =
    claimed === undefined
      ? { name: user, source: 'system-user', user }
      : { name: JSON.parse(claimed) as string, source: 'flag', user }
  return { by, ...(comment === undefined || comment === '' ? {} : { comment }) }
}
