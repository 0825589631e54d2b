import { failureText, hasError, hasTime, type LineFacts, type LooseFacts, timeOf } from './line-facts.ts'
import type { OpenSession, SeqGap } from './session-stack.ts'

/**
 * The signs of a record that is not whole. No line of a record says "complete", so a whole record has no signs. A
 * whole record never has a sign of the grade `truncated`; it can have one of the grade `doubtful`.
 */
export type RecordSign =
  | 'empty_body'
  | 'connection_closed_early'
  | 'first_line_not_session_meta'
  | 'broken_line'
  | 'last_line_not_json'
  | 'last_line_without_newline'
  | 'final_error_line'
  | 'seq_gap'
  | 'error_event_last'
  | 'last_line_unclear'
  | 'end_not_reached'
  | 'sub_session_missing'
  | 'error_line_inside'
  | 'line_too_long'

/** What was seen of a record once its last byte is here. */
export interface RecordEvidence {
  /** Lines that are not blank. */
  readonly lines: number
  readonly first: LineFacts | undefined
  readonly last: LineFacts | undefined
  /** Where the last line is, counting blank ones. */
  readonly lastLineNumber: number
  readonly endsWithNewline: boolean
  /** The source failed before its end. */
  readonly isCutOff: boolean
  /** The first line that is not a JSON object. */
  readonly brokenLine?: number
  /** The first line that is too long to be read. */
  readonly longLine?: number
  /** The first line that reports a failure and is no event. */
  readonly failureLine?: number
  readonly gap?: SeqGap & { readonly line: number }
  /** The first dispatch that no sub-session follows, though they were asked for. */
  readonly emptyDispatchLine?: number | undefined
  /** Events of this record carry `seq`. */
  readonly isNumbered: boolean
  /** The sessions that the last line belongs to, outermost first. */
  readonly openSessions: readonly OpenSession[]
}

export interface RecordVerdict {
  readonly grade: 'whole' | 'doubtful' | 'truncated'
  /** Only the signs of the grade `truncated`, if there are any. */
  readonly signs: readonly RecordSign[]
  /** One clause for each sign, for people. */
  readonly reasons: readonly string[]
}

interface Sign {
  readonly grade: 'doubtful' | 'truncated'
  /** The sign as a clause; `undefined` where it is absent. */
  readonly look: (evidence: RecordEvidence) => string | undefined
}

/** Kinds of events that end a record as well as any other. */
const ordinaryKinds: ReadonlySet<string | undefined> = new Set([
  'user_message',
  'agent_text',
  'final_answer',
  'llm_call',
  'tool_call',
  'subagent_dispatch',
])

/** The time of the end of a session is later than that of its last event. */
const endToleranceMs = 2000

const signs: Readonly<Record<RecordSign, Sign>> = {
  empty_body: truncated(({ lines }) => (lines === 0 ? 'it has no lines' : undefined)),
  connection_closed_early: truncated(({ isCutOff }) =>
    isCutOff ? 'the connection closed before the end' : undefined,
  ),
  first_line_not_session_meta: truncated(({ lines, first }) =>
    lines > 0 && first?.shape !== 'meta' ? 'its first line is not `session_meta`' : undefined,
  ),
  broken_line: truncated(({ brokenLine, lastLineNumber }) =>
    brokenLine !== undefined && brokenLine < lastLineNumber
      ? `line ${brokenLine} is not a JSON object`
      : undefined,
  ),
  last_line_not_json: truncated(({ last, lastLineNumber }) =>
    last?.shape === 'broken' ? `its last line (${lastLineNumber}) is not a JSON object` : undefined,
  ),
  last_line_without_newline: truncated(({ lines, endsWithNewline, lastLineNumber }) =>
    lines > 0 && !endsWithNewline ? `its last line (${lastLineNumber}) has no newline` : undefined,
  ),
  final_error_line: truncated((evidence) => {
    const failure = finalFailure(evidence)
    if (failure === undefined) return undefined
    return `it ends with an error line${failure === '' ? '' : ` (${failure})`}`
  }),
  seq_gap: doubtful(({ gap }) => {
    if (!gap) return undefined
    const session = gap.sessionId === undefined ? '' : ` in session ${gap.sessionId}`
    return `line ${gap.line} has seq ${gap.seq} where ${gap.expected} is next${session}`
  }),
  error_event_last: doubtful(({ last }) =>
    last?.shape === 'event' && (last.kind === 'error' || hasError(last.line))
      ? 'its last line is an error event, which may be the end of the session or of the export'
      : undefined,
  ),
  last_line_unclear: doubtful(unclearEnd),
  end_not_reached: doubtful(({ openSessions, last }) => {
    const missed = openSessions.find((session, level) =>
      missesItsEnd(session, level === openSessions.length - 1 ? last : undefined),
    )
    return missed && `session ${missed.sessionId ?? ''} has ended, but its last lines are not here`
  }),
  sub_session_missing: doubtful(({ emptyDispatchLine }) =>
    emptyDispatchLine === undefined
      ? undefined
      : `no sub-session follows its dispatch in line ${emptyDispatchLine}`,
  ),
  error_line_inside: doubtful(({ failureLine, lastLineNumber }) =>
    failureLine !== undefined && failureLine < lastLineNumber
      ? `line ${failureLine} is an error line that is no event`
      : undefined,
  ),
  line_too_long: doubtful(({ longLine }) =>
    longLine === undefined ? undefined : `line ${longLine} is too long to be read`,
  ),
}

/** Judges a record by all that was seen of it. */
export function judgeRecord(evidence: RecordEvidence): RecordVerdict {
  for (const grade of ['truncated', 'doubtful'] as const) {
    const seen = Object.entries(signs).flatMap(([sign, { grade: own, look }]) => {
      const reason = own === grade ? look(evidence) : undefined
      return reason === undefined ? [] : [{ sign: sign as RecordSign, reason }]
    })
    if (seen.length > 0) {
      return { grade, signs: seen.map(({ sign }) => sign), reasons: seen.map(({ reason }) => reason) }
    }
  }
  return { grade: 'whole', signs: [], reasons: [] }
}

/** Whether a line without a position in a session reports that the export failed. */
export function reportsFailure({ kind, line }: LooseFacts): boolean {
  if (hasError(line)) return true
  return kind === undefined || (!ordinaryKinds.has(kind) && failureText(line) !== '')
}

/**
 * The last line of a failed export has no known shape. Events have a number and a time. Where they have, a last line
 * of an unknown kind without them is a failure; in any record, one that mentions an error is. Returns its text;
 * `undefined` where the export did not fail.
 */
function finalFailure({ last, isNumbered }: RecordEvidence): string | undefined {
  if (last?.shape === 'event') {
    const isOrdinary = ordinaryKinds.has(last.kind) && !hasError(last.line)
    return hasTime(last.line) || isOrdinary ? undefined : failureText(last.line)
  }
  if (last?.shape !== 'loose') return undefined
  const isForeign = isNumbered && !ordinaryKinds.has(last.kind)
  return isForeign || reportsFailure(last) ? failureText(last.line) : undefined
}

function unclearEnd({ last, isNumbered }: RecordEvidence): string | undefined {
  if (last?.shape === 'loose') {
    const isUsual = ordinaryKinds.has(last.kind) && !isNumbered
    return isUsual ? undefined : 'its last line is no event with a number and a time'
  }
  if (last?.shape !== 'event' || last.kind === 'error') return undefined
  if (!ordinaryKinds.has(last.kind)) return `its last line is of an unknown kind (${last.kind})`
  return hasTime(last.line) ? undefined : 'its last line has no time'
}

/**
 * A closed session must have an end: its final answer, or an event at the time of its end. An open session needs
 * none, and one that was followed by an outer session was exported to its end.
 */
function missesItsEnd({ endedAtMs, lastKind }: OpenSession, last: LineFacts | undefined): boolean {
  if (endedAtMs === undefined || lastKind === 'final_answer') return false
  if (last?.shape !== 'event' && last?.shape !== 'loose') return true
  const atMs = timeOf(last.line['ts'])
  const isAtEnd = atMs !== undefined && atMs >= endedAtMs - endToleranceMs
  return !isAtEnd && last.kind !== 'final_answer'
}

function truncated(look: Sign['look']): Sign {
  return { grade: 'truncated', look }
}

function doubtful(look: Sign['look']): Sign {
  return { grade: 'doubtful', look }
}
