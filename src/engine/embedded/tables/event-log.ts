import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { TimedRunEvent } from '../../../core/events.ts'
import { type RecordedEvent, withoutLargeOutputs } from '../../../core/record/index.ts'
import type { CommitQueue } from '../database/commit-queue.ts'

/** The events of a run in the database, for other processes and for later. */
export interface EventLog {
  /** Queues the event. */
  write(event: TimedRunEvent): void
}

/** Opens the log of a run, after its last event. */
export function openEventLog(database: DatabaseSyncInstance, queue: CommitQueue, runId: string): EventLog {
  const insert = database.prepare(
    'INSERT INTO events (run_id, seq, at, type, path, is_trimmed, data) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const last = database.prepare('SELECT max(seq) AS seq FROM events WHERE run_id = ?').get(runId)
  let seq = Number(last?.['seq'] ?? 0)
  return {
    write(event) {
      const { run_id: _, at, type, path, ...data } = event as TimedRunEvent & { readonly path?: string }
      const { text, isTrimmed } = dataText(data)
      const row = [runId, ++seq, Date.parse(at), type, path ?? null, isTrimmed ? 1 : 0, text]
      queue.batch(() => insert.run(...row))
    },
  }
}

/** The fields of an event that have no column. */
function dataText(data: object): { readonly text: string | null; readonly isTrimmed: boolean } {
  const text = JSON.stringify(data)
  if (text === '{}') return { text: null, isTrimmed: false }
  const trimmed = withoutLargeOutputs(data, text.length)
  return trimmed ? { text: JSON.stringify(trimmed), isTrimmed: true } : { text, isTrimmed: false }
}

/** Reads an event from its row. */
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
