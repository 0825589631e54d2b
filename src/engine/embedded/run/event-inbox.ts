import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Cancellation, EventInbox, KeptEvent, Listening } from '../../../core/host/index.ts'
import type { JsonValue } from '../../../core/json.ts'
import type { Clock } from '../../attempt/index.ts'
import type { CommitQueue } from '../database/commit-queue.ts'
import { fromJson, type Row, sql } from '../database/sql.ts'

/** What reading the events of a run takes. */
export interface EventInboxOptions {
  readonly database: DatabaseSyncInstance
  readonly queue: CommitQueue
  readonly clock: Clock
  readonly runId: string
  /** Cancelled when the process must stop. */
  readonly interrupt: Cancellation
}

/** How often the table is read for events that another process received. */
const pollMs = 200

interface StoredEvent extends KeptEvent {
  readonly seq: number
}

/**
 * The events of a data directory as a run takes them. `serve` records an event before it answers the sender, and the
 * process of the run reads the table, whichever process it is.
 */
export function openEventInbox({ database, queue, clock, runId, interrupt }: EventInboxOptions): EventInbox {
  let started: Row | undefined
  // Few runs listen: it is read with the first listening.
  const startOf = (): Row | undefined => {
    started ??= sql(database).get`SELECT events_after, started_from FROM runs WHERE id = ${runId}`
    return started
  }
  /** The events that steps of this process have claimed; the table may not have them yet. */
  const claimed = new Set<number>()
  /** Up to which event each step has looked. */
  const seen = new WeakMap<Listening, number>()

  const nextAfter = (seq: number, hook: string): StoredEvent | undefined => {
    const row = sql(database).get`
      SELECT seq, id, received_at, body FROM received_events
      WHERE hook = ${hook} AND seq > ${seq} AND NOT EXISTS (SELECT 1 FROM taken_events WHERE event = seq
        AND run_id = ${runId})
      ORDER BY seq LIMIT 1`
    if (row === undefined) return undefined
    const event = {
      seq: Number(row['seq']),
      id: String(row['id']),
      receivedAtMs: Number(row['received_at']),
      ...(typeof row['body'] === 'string' ? { body: JSON.parse(row['body']) as JsonValue } : {}),
    }
    // The event that started the run is none that it waits for.
    const startedBy = fromJson<StartEvent>(startOf()?.['started_from'])
    const isOwn = startedBy?.kind === 'event' && startedBy.hook === hook && startedBy.event_id === event.id
    return isOwn || claimed.has(event.seq) ? nextAfter(event.seq, hook) : event
  }
  return {
    next(listening) {
      const event = nextAfter(seen.get(listening) ?? Number(startOf()?.['events_after'] ?? 0), listening.hook)
      if (event) seen.set(listening, event.seq)
      return event
    },
    claim(event, { path }) {
      const { seq } = event as StoredEvent
      claimed.add(seq)
      // Committed with the result of the call, which follows.
      queue.batch(
        () =>
          sql(database).run`
            INSERT INTO taken_events (event, run_id, path, taken_at) VALUES (${seq}, ${runId}, ${path},
              ${clock.now()})`,
      )
      return undefined
    },
    more: ({ endMs }, cancellation) =>
      clock.waitUntil(Math.min(endMs, clock.now() + pollMs), cancellation, interrupt),
  }
}

interface StartEvent {
  readonly kind: string
  readonly hook: string
  readonly event_id: string
}
