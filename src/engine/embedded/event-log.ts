import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { TimedRunEvent } from '../../core/events.ts'
import { withoutLargeOutputs } from '../../core/record/kept-in-log.ts'
import type { RecordedEvent } from '../../core/record/run-record.ts'
import type { CommitQueue } from './commit-queue.ts'

/** The log of a run in the database, for those who watch from another process or look later. */
export interface EventLog {
  /** Queues the event. Nobody waits for it. */
  write(event: TimedRunEvent): void
}

/** Rows that are written together, which costs half as much for each. */
const rowsAtOnce = 10
const columns = 7
const insertInto = 'INSERT INTO events (run_id, seq, at, type, path, is_trimmed, data) VALUES'
const oneRow = '(?, ?, ?, ?, ?, ?, ?)'

/** Opens the log of a run, after what it holds already. */
export function openEventLog(database: DatabaseSyncInstance, queue: CommitQueue, runId: string): EventLog {
  const insert = database.prepare(`${insertInto} ${oneRow}`)
  const insertTen = database.prepare(`${insertInto} ${Array(rowsAtOnce).fill(oneRow).join(', ')}`)
  const last = database.prepare('SELECT max(seq) AS seq FROM events WHERE run_id = ?').get(runId)
  let seq = Number(last?.['seq'] ?? 0)
  /** The values of rows that are still to be written, one row after the other. */
  let open: (string | number | null)[] = []
  /** Queues the rows that are open, and those that join them until they are written. */
  const queueRows = (): void => {
    const values = open
    const close = (): void => {
      if (open === values) open = []
    }
    queue.gather(() => {
      close()
      if (values.length === rowsAtOnce * columns) insertTen.run(...values)
      else for (let at = 0; at < values.length; at += columns) insert.run(...values.slice(at, at + columns))
    }, close)
  }
  return {
    write(event) {
      const { run_id: _, at, type, path, ...data } = event as TimedRunEvent & { readonly path?: string }
      const { text, isTrimmed } = dataText(data)
      open.push(runId, ++seq, Date.parse(at), type, path ?? null, isTrimmed ? 1 : 0, text)
      if (open.length === columns) queueRows()
      if (open.length === rowsAtOnce * columns) open = []
    },
  }
}

/** What an event holds besides its columns. */
function dataText(data: object): { readonly text: string | null; readonly isTrimmed: boolean } {
  const text = JSON.stringify(data)
  if (text === '{}') return { text: null, isTrimmed: false }
  const trimmed = withoutLargeOutputs(data, text.length)
  return trimmed ? { text: JSON.stringify(trimmed), isTrimmed: true } : { text, isTrimmed: false }
}

/** The event of a row of the log. */
export function readEventRow(row: Readonly<Record<string, unknown>>, runId: string): RecordedEvent {
  const { seq, at, type, path, data, is_trimmed } = row
  const event = {
    type,
    ...(typeof path === 'string' ? { path } : {}),
    ...(typeof data === 'string' ? (JSON.parse(data) as object) : {}),
    run_id: runId,
    at: new Date(Number(at)).toISOString(),
  } as TimedRunEvent
  return { seq: Number(seq), event, ...(is_trimmed ? { is_trimmed: true } : {}) }
}
