import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { TimedRunEvent } from '../../../core/events.ts'
import { type RecordedEvent, withoutLargeOutputs } from '../../../core/record/index.ts'
import type { CommitQueue } from '../database/commit-queue.ts'

/** The events of a run in the database, for other processes and for later. */
export interface EventLog {
  /** Queues the event. */
  write(event: TimedRunEvent): void
}

/** A row with events that are not committed yet. */
interface QueuedRow {
  /** Each event as JSON. */
  readonly texts: string[]
  characters: number
  /** Of the last event. */
  seq: number
  at: string
}

/** A row of this size takes no more events, so that a reader holds few of them at a time. */
const mostCharacters = 65_536

/** Opens the log of a run, after its last event. The events of one commit share a row: a row costs more than an event. */
export function openEventLog(database: DatabaseSyncInstance, queue: CommitQueue, runId: string): EventLog {
  const insert = database.prepare('INSERT INTO events (run_id, seq, at, events) VALUES (?, ?, ?, ?)')
  const last = database.prepare('SELECT max(seq) AS seq FROM events WHERE run_id = ?').get(runId)
  let seq = Number(last?.['seq'] ?? 0)
  let open: QueuedRow | undefined

  const openRow = (): QueuedRow => {
    const row: QueuedRow = { texts: [], characters: 0, seq, at: '' }
    queue.batch(() => {
      if (open === row) open = undefined
      insert.run(runId, row.seq, Date.parse(row.at), `[${row.texts.join(',')}]`)
    })
    return row
  }
  return {
    write(event) {
      const text = eventText(event)
      open ??= openRow()
      open.characters += text.length
      open.texts.push(text)
      open.seq = ++seq
      open.at = event.at
      if (open.characters >= mostCharacters) open = undefined
    },
  }
}

/** An event in its row: without the id of the run, and `is_trimmed` where its outputs are left out. */
type StoredEvent = Omit<TimedRunEvent, 'run_id'> & { readonly is_trimmed?: true }

function eventText({ run_id: _, ...event }: TimedRunEvent): string {
  const text = JSON.stringify(event satisfies StoredEvent)
  const trimmed = withoutLargeOutputs(event, text.length)
  return trimmed ? JSON.stringify({ ...trimmed, is_trimmed: true }) : text
}

/** The recorded events of a run after a number. Reads row by row, since a long read would delay checkpoints. */
export function* readEvents(
  database: DatabaseSyncInstance,
  runId: string,
  afterSeq = 0,
): IterableIterator<RecordedEvent> {
  const next = database.prepare(
    'SELECT seq, events FROM events WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT 1',
  )
  let last = afterSeq
  for (let row = next.get(runId, last); row !== undefined; row = next.get(runId, last)) {
    // The row of the first ones can begin with events up to that number.
    for (const recorded of readRow(row, runId)) if (recorded.seq > last) yield recorded
    last = Number(row['seq'])
  }
}

/** The recorded events of a run, the newest first. */
export function* readNewestEvents(
  database: DatabaseSyncInstance,
  runId: string,
): IterableIterator<RecordedEvent> {
  const previous = database.prepare(
    'SELECT seq, events FROM events WHERE run_id = ? AND seq < ? ORDER BY seq DESC LIMIT 1',
  )
  let row = previous.get(runId, Number.MAX_SAFE_INTEGER)
  while (row !== undefined) {
    yield* readRow(row, runId).toReversed()
    row = previous.get(runId, Number(row['seq']))
  }
}

function readRow(row: Readonly<Record<string, unknown>>, runId: string): readonly RecordedEvent[] {
  const stored = JSON.parse(String(row['events'])) as readonly StoredEvent[]
  const before = Number(row['seq']) - stored.length
  return stored.map(({ at, is_trimmed: isTrimmed, ...event }, index) => ({
    seq: before + index + 1,
    event: { ...event, run_id: runId, at } as TimedRunEvent,
    ...(isTrimmed ? { is_trimmed: true } : {}),
  }))
}
