import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import type { EventDecision, EventRecord, IncomingEvent, TakenBy } from '../../../core/triggers/index.ts'
import type { EventFilter } from '../../index.ts'
import { type Row, type SqlPart, sql, sqlPart, toJson } from '../database/sql.ts'

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

/** Larger bodies, in characters as JSON, are not kept. */
const mostBody = 262_144

export function openEventRows(database: DatabaseSyncInstance): EventRows {
  const recordOf = (row: Row): EventRecord => {
    const seq = Number(row['seq'])
    const taken = sql(database).all`
      SELECT run_id, path FROM taken_events WHERE event = ${seq} ORDER BY taken_at`
    const decisions = sql(database).all`
      SELECT * FROM event_decisions WHERE event = ${seq} ORDER BY runbook, trigger_index`
    const record = readEvent(row, decisions.map(readDecision))
    return taken.length === 0 ? record : { ...record, taken: taken.map(readTaken) }
  }
  return {
    countAgain(hook, id) {
      const row = sql(database).get`
        UPDATE received_events SET deliveries = deliveries + 1 WHERE hook = ${hook} AND id = ${id} RETURNING *`
      return row && recordOf(row)
    },
    insert({ hook, id, type, receivedAtMs, body }, decisions) {
      const text = JSON.stringify(body)
      const kept = text.length > mostBody ? null : text
      const row = sql(database).get`
        INSERT INTO received_events (hook, id, type, received_at, body)
        VALUES (${hook}, ${id}, ${type}, ${receivedAtMs}, ${kept}) RETURNING *` as Row
      for (const { runbook, trigger, run_id, because, message, details } of decisions)
        sql(database).run`
          INSERT INTO event_decisions (event, runbook, trigger_index, run_id, because, message, details)
          VALUES (${Number(row['seq'])}, ${runbook}, ${trigger}, ${run_id}, ${because}, ${message}, ${toJson(details)})`
      return recordOf(row)
    },
    list: (filter) => selectEvents(database, filter).map(recordOf),
    find(hook, id) {
      const row = sql(database).get`
        SELECT * FROM received_events WHERE ${ifGiven(hook, sqlPart`hook = ${hook}`)} AND id = ${id}
        ORDER BY seq DESC LIMIT 1`
      return row && recordOf(row)
    },
  }
}

function selectEvents(
  database: DatabaseSyncInstance,
  { hook, runbook, because, isStart, receivedFromMs, isWithoutBody, limit = 100 }: EventFilter,
): readonly Row[] {
  const decision = sqlPart`
    EXISTS (SELECT 1 FROM event_decisions WHERE event = seq AND ${ifGiven(runbook, sqlPart`runbook = ${runbook}`)}
      AND ${ifGiven(because, sqlPart`because = ${because}`)}
      AND ${ifGiven(isStart, isStart ? sqlPart`because IS NULL` : sqlPart`because IS NOT NULL`)})`
  const columns = isWithoutBody ? sqlPart`seq, hook, id, type, received_at, deliveries` : sqlPart`*`
  return sql(database).all`
    SELECT ${columns} FROM received_events WHERE received_at >= ${receivedFromMs ?? 0}
      AND ${ifGiven(hook, sqlPart`hook = ${hook}`)} AND ${ifGiven(runbook ?? because ?? isStart, decision)}
    ORDER BY seq DESC LIMIT ${limit}`
}

/** A condition on something that a caller can leave out. */
function ifGiven(given: unknown, condition: SqlPart): SqlPart {
  return given === undefined ? sqlPart`TRUE` : condition
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
