import { failureText, hasError, type LineFacts, type LooseFacts, timeOf } from './line-facts.ts'
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
  | 'last_line_without_newline'
  | 'final_error_line'
  | 'seq_gap'
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
  readonly failure?: { readonly line: number; readonly text: string }
  /** Events of this record have a position in their session. */
  readonly isNumbered: boolean
  readonly gap?: SeqGap & { readonly line: number }
  /** The first dispatch that no sub-session follows, though they were asked for. */
  readonly emptyDispatchLine?: number | undefined
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
  broken_line: truncated(({ brokenLine }) =>
    brokenLine === undefined ? undefined : `line ${brokenLine} is not a JSON object`,
  ),
  last_line_without_newline: truncated(({ lines, endsWithNewline, lastLineNumber }) =>
    lines > 0 && !endsWithNewline ? `its last line (${lastLineNumber}) has no newline` : undefined,
  ),
  final_error_line: truncated(({ last, isNumbered }) =>
    last?.shape === 'loose' && reportsFailure(last, isNumbered)
      ? `it ends with an error line${inBrackets(failureText(last.line))}`
      : undefined,
  ),
  seq_gap: doubtful(({ gap }) => {
    if (!gap) return undefined
    const session = gap.sessionId === undefined ? '' : ` in session ${gap.sessionId}`
    return `line ${gap.line} has seq ${gap.seq} where ${gap.expected} is next${session}`
  }),
  last_line_unclear: doubtful(({ last }) => {
    if (last?.shape !== 'event' || (last.kind !== 'error' && !hasError(last.line))) return undefined
    // Newer services say the kind of each entry of a session: what fails with the export is none.
    return typeof last.line['entry_kind'] === 'string'
      ? undefined
      : 'its last line is an error, of the session or of the export'
  }),
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
  error_line_inside: doubtful(({ failure, lastLineNumber }) =>
    failure !== undefined && failure.line < lastLineNumber
      ? `line ${failure.line} is an error line that is no event${inBrackets(failure.text)}`
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
    if (seen.length > 0)
      return { grade, signs: seen.map(({ sign }) => sign), reasons: seen.map(({ reason }) => reason) }
  }
  return { grade: 'whole', signs: [], reasons: [] }
}

/**
 * Whether a line without a position in a session reports that the export failed: `{"type":"error","content":"…"}`.
 * Where the events have positions, no line without one is an event.
 */
export function reportsFailure({ kind, line }: LooseFacts, isNumbered: boolean): boolean {
  return isNumbered || kind === undefined || kind === 'error' || hasError(line)
}

function inBrackets(text: string): string {
  return text === '' ? '' : ` (${text})`
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
