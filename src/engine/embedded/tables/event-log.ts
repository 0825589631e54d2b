import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { TimedRunEvent } from '../../../core/events.ts'
import { isEventInside, type RecordedEvent, withoutLargeOutputs } from '../../../core/record/index.ts'
import type { CommitQueue } from '../database/commit-queue.ts'
import { type Row, sql } from '../database/sql.ts'

/** A row with events that are not committed yet. */
interface QueuedRow {
  /** Each event as JSON. */
  readonly texts: string[]
  characters: number
  /** When the last event was reported. */
  at: string
  hasRunEvents: boolean
}

/** A row that has reached this size takes no more events, so that a reader holds few of them at a time. */
const mostCharacters = 65_536

/**
 * Opens the log of a run, after its last event, for other processes and for later. The answer queues an event. The events
 * of one commit share a row: a row costs more than an event.
 */
export function openEventLog(
  database: DatabaseSyncInstance,
  queue: CommitQueue,
  runId: string,
): (event: TimedRunEvent) => void {
  const last = sql(database).get`SELECT max(seq) AS seq FROM events WHERE run_id = ${runId}`
  let seq = Number(last?.['seq'] ?? 0)
  let open: QueuedRow | undefined

  const openRow = (): QueuedRow => {
    const row: QueuedRow = { texts: [], characters: 0, at: '', hasRunEvents: false }
    const before = seq
    queue.batch(() => {
      if (open === row) open = undefined
      const { texts, at, hasRunEvents } = row
      // Only after the last row that this log knows: two writers would give two events one number.
      const rows = sql(database).run`
        INSERT INTO events (run_id, seq, at, has_run_events, events)
        SELECT ${runId}, ${before + texts.length}, ${Date.parse(at)}, ${hasRunEvents},
          ${`[${texts.join(',')}]`}
        WHERE NOT EXISTS (SELECT 1 FROM events WHERE run_id = ${runId} AND seq > ${before})`
      if (rows === 0) throw new Error('another process has recorded events of the run')
    })
    return row
  }
  return (event) => {
    const text = eventText(event)
    open ??= openRow()
    open.characters += text.length
    open.texts.push(text)
    open.at = event.at
    open.hasRunEvents ||= !('path' in event)
    seq++
    if (open.characters >= mostCharacters) open = undefined
  }
}

/** An event in its row: without the id of the run, and `is_trimmed` where its outputs are left out. */
type StoredEvent = Omit<TimedRunEvent, 'run_id'> & { readonly is_trimmed?: true }

function eventText({ run_id: _, ...event }: TimedRunEvent): string {
  const text = JSON.stringify(event satisfies StoredEvent)
  const trimmed = withoutLargeOutputs(event, text.length)
  return trimmed ? JSON.stringify({ ...trimmed, is_trimmed: true }) : text
}

/**
 * The recorded events of a run after a number. `inside`: only those of the run itself, of this path and of what is
 * inside it. Reads row by row, since a long read would delay checkpoints.
 */
export function* readEvents(
  database: DatabaseSyncInstance,
  runId: string,
  afterSeq = 0,
  inside?: string,
): IterableIterator<RecordedEvent> {
  // What nearly every row of another path is without. To parse them all would take ten times as long.
  const sign = inside === undefined ? '' : JSON.stringify(inside).slice(0, -1)
  const next = (seq: number): Row | undefined =>
    sql(database).get`
      SELECT seq, events FROM events WHERE run_id = ${runId} AND seq > ${seq}
      AND (has_run_events = 1 OR instr(events, ${sign}) > 0) ORDER BY seq LIMIT 1`
  let last = afterSeq
  for (let row = next(last); row !== undefined; row = next(last)) {
    // The row of the first ones can begin with events up to that number.
    for (const recorded of readRow(row, runId))
      if (recorded.seq > last && (inside === undefined || isEventInside(recorded.event, inside)))
        yield recorded
    last = Number(row['seq'])
  }
}

/** The recorded events of a run, the newest first: those of rows that hold this text. */
export function* readNewestEvents(
  database: DatabaseSyncInstance,
  runId: string,
  text = '',
): IterableIterator<RecordedEvent> {
  const previous = (seq: number): Row | undefined =>
    sql(database).get`
      SELECT seq, events FROM events WHERE run_id = ${runId} AND seq < ${seq}
      AND instr(events, ${text}) > 0 ORDER BY seq DESC LIMIT 1`
  for (let row = previous(Number.MAX_SAFE_INTEGER); row; row = previous(Number(row['seq'])))
    yield* readRow(row, runId).toReversed()
}

function readRow(row: Row, runId: string): readonly RecordedEvent[] {
  const stored = JSON.parse(String(row['events'])) as readonly StoredEvent[]
  const before = Number(row['seq']) - stored.length
  return stored.map(({ at, is_trimmed: isTrimmed, ...event }, index) => ({
    seq: before + index + 1,
    event: { ...event, run_id: runId, at } as TimedRunEvent,
    ...(isTrimmed ? { is_trimmed: true } : {}),
  }))
}
