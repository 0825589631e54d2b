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

/** A line with its place in a session. */
export interface EventFacts {
  readonly shape: 'event'
  readonly kind: string
  readonly seq: number
  readonly atMs: number | undefined
  readonly hasTime: boolean
  readonly hasError: boolean
  /** What it says about a failure, short enough for a message. */
  readonly failure: string
}

/** An object without a place in a session. */
export interface LooseFacts {
  readonly shape: 'loose'
  readonly kind: string | undefined
  readonly atMs: number | undefined
  readonly hasError: boolean
  /** What it says about a failure, short enough for a message. */
  readonly failure: string
}

/** Not a JSON object. */
export interface BrokenFacts {
  readonly shape: 'broken'
}

export const broken: BrokenFacts = { shape: 'broken' }

/** The facts of a line that has been parsed. */
export function lineFacts(line: JsonValue): LineFacts {
  if (!isJsonObject(line)) return broken
  const kind = typeof line['type'] === 'string' ? line['type'] : undefined
  if (kind === 'session_meta') return metaFacts(line)
  // The document calls the first line an envelope: its name may be the field and not the type.
  if (kind === undefined && isJsonObject(line['session_meta'])) return metaFacts(line['session_meta'])
  const error = line['error']
  const hasError = error !== undefined && error !== null && error !== '' && error !== false
  const failure = failureText(isJsonObject(error) ? error : line)
  const { seq, ts } = line
  const atMs = timeOf(ts)
  if (kind === undefined || typeof seq !== 'number' || !Number.isSafeInteger(seq)) {
    return { shape: 'loose', kind, atMs, hasError, failure }
  }
  const hasTime = typeof ts === 'string' || typeof ts === 'number'
  return { shape: 'event', kind, seq, atMs, hasTime, hasError, failure }
}

function metaFacts(meta: JsonObject): MetaFacts {
  const endedAt = meta['ended_at']
  const hasEnded = endedAt !== undefined && endedAt !== null && endedAt !== ''
  return {
    shape: 'meta',
    sessionId: textOf(meta['session_id']),
    parentId: textOf(meta['parent_session_id']),
    endedAtMs: hasEnded ? (timeOf(endedAt) ?? Number.NaN) : undefined,
  }
}

function timeOf(value: JsonValue | undefined): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : value
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function failureText(line: JsonObject): string {
  const text = [line['code'], line['message'] ?? line['error']]
    .filter((part) => typeof part === 'string')
    .join(': ')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a message may reach a terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, 200)
}
