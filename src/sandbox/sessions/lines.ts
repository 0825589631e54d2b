import type { JsonObject } from '../json.ts'

/** How the lines of a session are asked for. */
export interface LineOptions {
  readonly includeSubagents: boolean
  /** Lines as newer services write them. */
  readonly isNewer: boolean
  readonly closing: AbortSignal
}

/** One record of a session as a line. */
export function formatLine(record: JsonObject): string {
  return `${JSON.stringify(record)}\n`
}

/**
 * Passes lines on until they end, fail, or the time is over. Headers are sent by then, so a failure becomes
 * one last error line; it has neither `seq` nor `ts`, unlike the `error` events of a session.
 */
export async function* capLines(
  lines: AsyncIterable<string>,
  { capMs, ...shape }: { readonly capMs: number; readonly requestId: string; readonly isNewer: boolean },
): AsyncGenerator<string> {
  const endsAt = performance.now() + capMs
  try {
    for await (const chunk of lines) {
      if (performance.now() >= endsAt) {
        yield errorLine(`the export took longer than ${capMs} ms and was stopped`, shape)
        return
      }
      yield chunk
    }
  } catch (error) {
    yield errorLine(error instanceof Error ? error.message : String(error), shape)
  }
}

function errorLine(message: string, { requestId, isNewer }: { requestId: string; isNewer: boolean }): string {
  if (isNewer) return formatLine({ type: 'error', content: message })
  return formatLine({ type: 'error', error: { code: 'InternalError', message }, request_id: requestId })
}

/** An event as it was recorded; a dispatch holds the session that it started. */
export interface SessionEvent {
  readonly type: string
  readonly child?: RecordedSession
  /** Added to the next number, to leave numbers out. */
  readonly skips?: number
  readonly fields: JsonObject
}

/** A session that is written out in full. */
export interface RecordedSession {
  readonly id: string
  readonly accountId: number
  readonly createdBy: number
  readonly access: 'personal' | 'team'
  readonly appName: string
  readonly parentId?: string
  readonly events: readonly SessionEvent[]
  /** The export fails after the last event, with this message. */
  readonly failsWith?: string
  /** Events as text, for what JavaScript numbers cannot hold. */
  readonly rawEvents?: readonly string[]
}

const firstEventAt = Date.parse('2026-01-15T08:00:00Z')

/** The lines of a session; with `includeSubagents` those of each child straight after its dispatch. */
export async function* recordedLines(session: RecordedSession, options: LineOptions): AsyncGenerator<string> {
  yield formatLine(metaOf(session, session.events.length))
  let seq = 0
  for (const event of session.events) {
    seq += 1 + (event.skips ?? 0)
    const entries = options.isNewer ? newerEntries(event, session.id, seq) : [event.fields]
    for (const [index, fields] of entries.entries()) {
      seq += index
      yield formatLine({ type: event.type, seq, ts: eventTime(seq), ...fields })
    }
    if (event.child && options.includeSubagents) yield* recordedLines(event.child, options)
  }
  for (const text of session.rawEvents ?? []) {
    seq += 1
    yield `{"type":"tool_call","seq":${seq},"ts":"${eventTime(seq)}",${text}}\n`
  }
  if (session.failsWith !== undefined) throw new Error(session.failsWith)
}

/** An event as newer services write it: it names its session, and a call and its answer are two lines. */
function newerEntries({ type, fields }: SessionEvent, id: string, seq: number): readonly JsonObject[] {
  if (type !== 'tool_call') return [{ session_id: id, entry_kind: 'message', ...fields }]
  const { name = '', input = {}, ...answer } = fields
  const call = { session_id: id, call_id: `call_${id}_${seq}`, name }
  return [
    { ...call, entry_kind: 'request', input },
    { ...call, entry_kind: 'answer', ...answer },
  ]
}

export function metaOf(
  session: Pick<RecordedSession, 'id' | 'accountId' | 'appName' | 'parentId'>,
  eventCount: number,
): JsonObject {
  return {
    type: 'session_meta',
    session_id: session.id,
    account_id: session.accountId,
    app_name: session.appName,
    model: 'sandbox-model-1',
    ...(session.parentId !== undefined && { parent_session_id: session.parentId }),
    started_at: eventTime(0),
    ended_at: eventTime(eventCount + 1),
  }
}

export function eventTime(seq: number): string {
  return new Date(firstEventAt + seq * 1250).toISOString()
}
