import type { TimedRunEvent } from '../../core/events.ts'

/** The events of a run as an async iterable. */
export interface EventStream extends AsyncIterable<TimedRunEvent> {
  push(event: TimedRunEvent): void
  /** Each iteration ends after its remaining events. */
  end(): void
}

/** Creates a stream that keeps events only for iterations that have begun. */
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
  /** Resolves at the next event, or at the end. */
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
