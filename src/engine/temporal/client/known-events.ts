import type { RecordedEvent } from '../../../core/record/run-record.ts'

/** Reads the events of a run whose numbers are greater; all of them without a number. */
export type ReadEvents = (runId: string, afterSeq: number | undefined) => Promise<readonly RecordedEvent[]>

/**
 * Answers with all events of a run, and reads each of them once, also for callers at the same time: logs only grow.
 * Keeps them for as long as the engine is open, which is one command.
 */
export function createKnownEvents(read: ReadEvents): (runId: string) => Promise<readonly RecordedEvent[]> {
  const known = new Map<string, Promise<readonly RecordedEvent[]>>()
  return (runId) => {
    const before = known.get(runId) ?? Promise.resolve([])
    const now = before.then(async (events) => {
      const more = await read(runId, events.at(-1)?.seq)
      return more.length === 0 ? events : [...events, ...more]
    })
    // What was known before a read that fails is known after it.
    known.set(
      runId,
      now.catch(() => before),
    )
    return now
  }
}
