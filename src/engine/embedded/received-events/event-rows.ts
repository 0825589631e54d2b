import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import type { EventDecision, EventRecord, IncomingEvent, TakenBy } from '../../../core/triggers/index.ts'
import type { EventFilter } from '../../index.ts'

/** The recorded events. */
export interface EventRows {
  /** Counts a repeated delivery. Undefined: the event is new. */
  countAgain(hook: string, id: string): EventRecord | undefined
  /** To be called in a transaction. */
  insert(event: IncomingEvent, decisions: readonly EventDecision[]): EventRecord
  list(filter: EventFilter): readonly EventRecord[]
  /** The newest event with this id. */
  find(hook: string | undefined, id: string): EventRecord | undefined
}

type Row = Readonly<Record<string, unknown>>

/** Larger bodies, in characters as JSON, are not kept. */
const mostBody = 262_144

export function openEventRows(database: DatabaseSyncInstance): EventRows {
  const again = database.prepare(
    'UPDATE received_events SET deliveries = deliveries + 1 WHERE hook = ? AND id = ? RETURNING *',
  )
  const insertEvent = database.prepare(
    'INSERT INTO received_events (hook, id, type, received_at, body) VALUES (?, ?, ?, ?, ?) RETURNING *',
  )
  const insertDecision = database.prepare(
    `INSERT INTO event_decisions (event, runbook, trigger_index, run_id, because, message, details)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const decisionsOf = database.prepare(
    'SELECT * FROM event_decisions WHERE event = ? ORDER BY runbook, trigger_index',
  )
  const find = database.prepare(
    'SELECT * FROM received_events WHERE (? IS NULL OR hook = ?) AND id = ? ORDER BY seq DESC LIMIT 1',
  )
  const takenBy = database.prepare('SELECT run_id, path FROM taken_events WHERE event = ? ORDER BY taken_at')
  const recordOf = (row: Row): EventRecord => {
    const seq = Number(row['seq'])
    const taken = (takenBy.all(seq) as Row[]).map(readTaken)
    const record = readEvent(row, (decisionsOf.all(seq) as Row[]).map(readDecision))
    return taken.length === 0 ? record : { ...record, taken }
  }
  return {
    countAgain(hook, id) {
      const row = again.get(hook, id) as Row | undefined
      return row && recordOf(row)
    },
    insert({ hook, id, type, receivedAtMs, body }, decisions) {
      const text = JSON.stringify(body)
      const kept = text.length > mostBody ? null : text
      const row = insertEvent.get(hook, id, type, receivedAtMs, kept) as Row
      for (const decision of decisions) {
        const { runbook, trigger, run_id, because, message, details } = decision
        const detailsText = details === undefined ? null : JSON.stringify(details)
        insertDecision.run(
          Number(row['seq']),
          runbook,
          trigger,
          run_id ?? null,
          because ?? null,
          message ?? null,
          detailsText,
        )
      }
      return recordOf(row)
    },
    list: (filter) => selectEvents(database, filter).map(recordOf),
    find(hook, id) {
      const row = find.get(hook ?? null, hook ?? null, id) as Row | undefined
      return row && recordOf(row)
    },
  }
}

function selectEvents(
  database: DatabaseSyncInstance,
  { hook, runbook, because, isStart, receivedFromMs, isWithoutBody, limit = 100 }: EventFilter,
): readonly Row[] {
  const conditions = ['received_at >= ?']
  const values: (string | number)[] = [receivedFromMs ?? 0]
  if (hook !== undefined) {
    conditions.push('hook = ?')
    values.push(hook)
  }
  const ofDecision = [
    ...(runbook === undefined ? [] : ['runbook = ?']),
    ...(because === undefined ? [] : ['because = ?']),
    ...(isStart === undefined ? [] : [`because IS ${isStart ? '' : 'NOT '}NULL`]),
  ]
  if (ofDecision.length > 0) {
    conditions.push(
      `EXISTS (SELECT 1 FROM event_decisions WHERE event = seq AND ${ofDecision.join(' AND ')})`,
    )
    values.push(...[runbook, because].filter((value) => value !== undefined))
  }
  const columns = isWithoutBody ? 'seq, hook, id, type, received_at, deliveries' : '*'
  return database
    .prepare(
      `SELECT ${columns} FROM received_events WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT ?`,
    )
    .all(...values, limit) as Row[]
}

function readEvent(
  { hook, id, type, received_at, deliveries, body }: Row,
  starts: readonly EventDecision[],
): EventRecord {
  return {
    hook: String(hook),
    event_id: String(id),
    type: String(type),
    received_at: new Date(Number(received_at)).toISOString(),
    deliveries: Number(deliveries),
    starts,
    ...(typeof body === 'string' ? { body: JSON.parse(body) as JsonValue } : {}),
  }
}

function readTaken({ run_id, path }: Row): TakenBy {
  return { run_id: String(run_id), path: String(path) }
}

function readDecision({ runbook, trigger_index, run_id, because, message, details }: Row): EventDecision {
  return {
    runbook: String(runbook),
    trigger: Number(trigger_index),
    ...(typeof run_id === 'string' ? { run_id } : {}),
    ...(typeof because === 'string' ? { because: because as NonNullable<EventDecision['because']> } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof details === 'string' ? { details: JSON.parse(details) as JsonObject } : {}),
  }
}
