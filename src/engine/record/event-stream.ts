import { EventEmitter, on } from 'node:events'
import type { TimedRunEvent } from '../../core/events.ts'

/** The events of a run as an async iterable. */
export interface EventStream extends AsyncIterable<TimedRunEvent> {
  push(event: TimedRunEvent): void
  /** Each iteration ends after its remaining events. */
  end(): void
}

/**
 * Creates a stream that keeps events only for iterations that have begun. `listener` receives each event as it is
 * pushed; what it throws affects nothing else.
 */
export function createEventStream(listener?: (event: TimedRunEvent) => void): EventStream {
  const emitter = new EventEmitter().setMaxListeners(0)
  let isOver = false
  return {
    push(event) {
      emitter.emit('event', event)
      try {
        listener?.(event)
      } catch {
        // Only this listener misses the event; the record has it.
      }
    },
    end() {
      isOver = true
      emitter.emit('end')
    },
    [Symbol.asyncIterator]: () => firsts(isOver ? [] : on(emitter, 'event', { close: ['end'] })),
  }
}

async function* firsts(
  events: Iterable<TimedRunEvent[]> | AsyncIterable<TimedRunEvent[]>,
): AsyncGenerator<TimedRunEvent> {
  for await (const one of events) yield* one
}
