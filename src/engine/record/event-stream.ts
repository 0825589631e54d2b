import type { TimedRunEvent } from '../../core/events.ts'

/** Events for listeners who take them one after another. */
export interface EventStream extends AsyncIterable<TimedRunEvent> {
  push(event: TimedRunEvent): void
  /** Every iteration ends after what it has not taken yet. */
  end(): void
}

/** A stream that keeps events only for iterations that have begun. */
export function createEventStream(): EventStream {
  const readers = new Set<Reader>()
  let isOver = false
  return {
    push(event) {
      for (const reader of readers) reader.push(event)
    },
    end() {
      isOver = true
      for (const reader of readers) reader.wake()
    },
    [Symbol.asyncIterator]() {
      const reader = createReader()
      readers.add(reader)
      return iterate(
        reader,
        () => isOver,
        () => readers.delete(reader),
      )
    },
  }
}

interface Reader {
  readonly events: TimedRunEvent[]
  push(event: TimedRunEvent): void
  wake(): void
  /** Resolves when there is something new. */
  news(): Promise<void>
}

function createReader(): Reader {
  const events: TimedRunEvent[] = []
  let wake = (): void => {}
  return {
    events,
    push(event) {
      events.push(event)
      wake()
    },
    wake: () => wake(),
    news: () =>
      new Promise((resolve) => {
        wake = resolve
      }),
  }
}

async function* iterate(
  reader: Reader,
  isOver: () => boolean,
  leave: () => void,
): AsyncGenerator<TimedRunEvent> {
  try {
    for (;;) {
      yield* reader.events.splice(0)
      if (reader.events.length > 0) continue
      if (isOver()) return
      await reader.news()
    }
  } finally {
    leave()
  }
}
