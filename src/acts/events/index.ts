/** Recorded events, sent once more by a person. */
import type { Identity } from '../../core/events.ts'
import { isCallback } from '../../core/hooks/index.ts'
import { hiddenMark, secretMark } from '../../core/mask/index.ts'
import type { EventRecord, IncomingEvent } from '../../core/triggers/index.ts'
import { CommandError } from '../../project/index.ts'

/** Evaluates and records an event where hooks are served. */
export type TakeEvent = (event: IncomingEvent) => Promise<EventRecord>

/**
 * Sends a recorded event once more, as an event with an id of its own that ends with `word`: the same word again is the
 * same event. Triggers decide about it as they do now. The person who sends it counts as who starts its runs. Throws where
 * the record does not have the whole body.
 */
export function sendAgain(
  { hook, event_id, type, body }: EventRecord,
  { word, by }: { readonly word: string; readonly by: Identity },
  take: TakeEvent,
): Promise<EventRecord> {
  const why = isCallback(hook)
    ? 'it belongs to one run'
    : body === undefined
      ? 'it was too large to be kept'
      : [hiddenMark, secretMark].some((mark) => JSON.stringify(body).includes(mark))
        ? 'some of its values are masked on record'
        : undefined
  if (why !== undefined || body === undefined)
    throw new CommandError('usage', `the event ${event_id} cannot be sent again: ${why}`, {
      hints: ['its sender has all of it'],
    })
  return take({ hook, id: `${event_id}~${word}`, type, receivedAtMs: Date.now(), body, sentBy: by })
}
