import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** What the judgement of a record needs to know about one line. */
export type LineFacts = MetaFacts | EventFacts | LooseFacts | BrokenFacts

/** A line that opens a session. */
export interface MetaFacts {
  readonly shape: 'meta'
  readonly sessionId: string | undefined
  readonly parentId: string | undefined
  /** When the session ended, as far as it has: not a number where the time cannot be read. */
  readonly endedAtMs: number | undefined
}

/** A line with its position in a session: its number there, or the name of the session. */
export interface EventFacts {
  readonly shape: 'event'
  readonly kind: string
  readonly seq: number | undefined
  /** Newer lines name their session. */
  readonly sessionId: string | undefined
  readonly line: JsonObject
}

/** An object without a position in a session. */
export interface LooseFacts {
  readonly shape: 'loose'
  readonly kind: string | undefined
  readonly line: JsonObject
}

/** Not a JSON object. */
export interface BrokenFacts {
  readonly shape: 'broken'
}

/** The facts of a parsed line. */
export function lineFacts(line: JsonValue): LineFacts {
  if (!isJsonObject(line)) return { shape: 'broken' }
  const { type, seq } = line
  if (type === 'session_meta') return metaFacts(line)
  if (typeof type !== 'string') return { shape: 'loose', kind: undefined, line }
  const number = Number.isSafeInteger(seq) ? (seq as number) : undefined
  const sessionId = textOf(line['session_id'])
  return number === undefined && sessionId === undefined
    ? { shape: 'loose', kind: type, line }
    : { shape: 'event', kind: type, seq: number, sessionId, line }
}

/** A time in milliseconds; `undefined` where it cannot be read. */
export function timeOf(value: JsonValue | undefined): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : value
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined
}

export function hasError({ error }: JsonObject): boolean {
  return error !== undefined && error !== null && error !== '' && error !== false
}

/** What a line says about a failure, short enough for a message. */
export function failureText(line: JsonObject): string {
  const { code, message, error } = isJsonObject(line['error']) ? line['error'] : line
  const text = [code, message ?? error ?? line['content']]
    .filter((part) => typeof part === 'string')
    .join(': ')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a message may reach a terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, 200)
}

function metaFacts(meta: JsonObject): MetaFacts {
  const { session_id: sessionId, parent_session_id: parentId, ended_at: endedAt } = meta
  const hasEnded = endedAt !== undefined && endedAt !== null && endedAt !== ''
  return {
    shape: 'meta',
    sessionId: textOf(sessionId),
    parentId: textOf(parentId),
    endedAtMs: hasEnded ? (timeOf(endedAt) ?? Number.NaN) : undefined,
  }
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
