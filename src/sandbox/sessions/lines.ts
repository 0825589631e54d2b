import type { JsonObject } from '../json.ts'

/** How the lines of a session are asked for. */
export interface LineOptions {
  readonly includeSubagents: boolean
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
  { capMs, requestId }: { readonly capMs: number; readonly requestId: string },
): AsyncGenerator<string> {
  const endsAt = performance.now() + capMs
  try {
    for await (const chunk of lines) {
      if (performance.now() >= endsAt) {
        yield errorLine(`the export took longer than ${capMs} ms and was stopped`, requestId)
        return
      }
      yield chunk
    }
  } catch (error) {
    yield errorLine(error instanceof Error ? error.message : String(error), requestId)
  }
}

function errorLine(message: string, requestId: string): string {
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
    yield formatLine({ type: event.type, seq, ts: eventTime(seq), ...event.fields })
    if (event.child && options.includeSubagents) yield* recordedLines(event.child, options)
  }
  for (const text of session.rawEvents ?? []) {
    seq += 1
    yield `{"type":"tool_call","seq":${seq},"ts":"${eventTime(seq)}",${text}}\n`
  }
  if (session.failsWith !== undefined) throw new Error(session.failsWith)
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
