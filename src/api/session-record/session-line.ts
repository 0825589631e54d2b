import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/**
 * One line of a record, told apart by `type`. Fields beyond the named ones are there as the service sent them; the
 * shape of lines is not part of its document, so every named field but `type` can be missing.
 */
export type SessionLine =
  | SessionMeta
  | MessageEvent
  | ToolCallEvent
  | LlmCallEvent
  | DispatchEvent
  | ErrorEvent
  | OtherLine

interface OpenFields {
  readonly [field: string]: JsonValue | undefined
}

/** The first line of every session, of sub-sessions too. */
export interface SessionMeta extends OpenFields {
  readonly type: 'session_meta'
  readonly session_id?: string
  /** Text where the number is beyond 2^53. */
  readonly account_id?: number | string
  readonly app_name?: string
  readonly model?: string
  /** On sub-sessions. */
  readonly parent_session_id?: string
  /** RFC 3339. */
  readonly started_at?: string
  /** RFC 3339; missing or null while the session is open. */
  readonly ended_at?: string | null
}

interface EventFields extends OpenFields {
  /** From 1, rising by 1 within its own session. */
  readonly seq?: number
  /** RFC 3339. */
  readonly ts?: string
  /** The session of the line; newer services name it. */
  readonly session_id?: string
  /** The same on the request and on the answer of one call; newer services write two lines. */
  readonly call_id?: string
  readonly entry_kind?: string
}

/** Something that was said. */
export interface MessageEvent extends EventFields {
  readonly type: 'user_message' | 'agent_text' | 'final_answer'
  readonly content?: JsonValue
}

/** A tool that ran. */
export interface ToolCallEvent extends EventFields {
  readonly type: 'tool_call'
  readonly name?: string
  readonly input?: JsonValue
  /** A map, or a text: services send either. {@link toolOutputText} is the text of both. */
  readonly output?: JsonValue
  readonly status?: string
  readonly duration_ms?: number
}

/** A call of the model. Services say what it used at the top or under `usage`; both are here, whichever was sent. */
export interface LlmCallEvent extends EventFields {
  readonly type: 'llm_call'
  readonly model?: string
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly usage?: JsonObject
}

/** The start of a sub-session, whose lines follow where sub-sessions were asked for. */
export interface DispatchEvent extends EventFields {
  readonly type: 'subagent_dispatch'
  readonly agent_name?: string
  readonly child_session_id?: string
}

/** An error: an event of the session, or without `seq` and `ts` the failure of the export. */
export interface ErrorEvent extends EventFields {
  readonly type: 'error'
  readonly content?: JsonValue
  readonly error?: JsonValue
}

/** A line of a kind that is not listed here. */
export interface OtherLine {
  readonly type: 'other'
  /** The `type` of the line, if it has one. */
  readonly kind?: string
  /** The line as it is. */
  readonly line: JsonObject
}

const listedTypes: ReadonlySet<JsonValue | undefined> = new Set<Exclude<SessionLine['type'], 'other'>>([
  'session_meta',
  'user_message',
  'agent_text',
  'final_answer',
  'tool_call',
  'llm_call',
  'subagent_dispatch',
  'error',
])

/** A parsed line as what it is. */
export function sessionLine(line: JsonObject): SessionLine {
  const kind = line['type']
  // The fields are as open as the interfaces say, so their types are hopes that only `type` was checked for.
  if (kind === 'llm_call') return withUsage(line) as unknown as SessionLine
  if (listedTypes.has(kind)) return line as unknown as SessionLine
  return { type: 'other', ...(typeof kind === 'string' ? { kind } : {}), line }
}

/** The output of a tool as a text, whichever of the two shapes the service sent. */
export function toolOutputText({ output }: ToolCallEvent): string {
  if (output === undefined || output === null) return ''
  return typeof output === 'string' ? output : JSON.stringify(output)
}

const tokenFields = ['input_tokens', 'output_tokens'] as const

/** The line with its tokens at the top and under `usage`. What was sent stays as it is. */
function withUsage(line: JsonObject): JsonObject {
  const usage = isJsonObject(line['usage']) ? line['usage'] : {}
  const known = tokenFields.flatMap((field) => {
    const value = line[field] ?? usage[field]
    return value === undefined ? [] : [[field, value] as const]
  })
  if (known.length === 0) return line
  const tokens = Object.fromEntries(known)
  return { ...tokens, ...line, usage: { ...tokens, ...usage } }
}
