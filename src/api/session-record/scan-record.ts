import type { JsonValue } from '../../core/json.ts'
import { withoutMark } from '../../core/text/index.ts'
import { judgeRecord, type RecordEvidence, type RecordVerdict, reportsFailure } from './judge-record.ts'
import { failureText, type LineFacts, lineFacts } from './line-facts.ts'
import { createSessionStack } from './session-stack.ts'

/** Reads the lines of a record from its bytes, in chunks that end anywhere. */
export interface RecordScanner {
  /** Uses the chunk only during the call. */
  push(chunk: Uint8Array): void
  /** `isCutOff`: the source failed after the last byte. */
  finish(isCutOff: boolean): RecordScan
}

/** What a record holds and whether it is whole. */
export interface RecordScan {
  readonly lines: number
  readonly subSessions: number
  readonly verdict: RecordVerdict
}

export interface ScanOptions {
  /** The request asked for the sub-sessions, so each dispatch is followed by one. */
  readonly includesSubagents: boolean
  /** Only the beginning of a longer line is kept, and the line is a sign of the grade `doubtful`. */
  readonly maxLineBytes: number
  /** Called once per line that is neither blank nor too long. Throws a `SyntaxError` where it is not JSON. */
  readonly parse: (text: string) => JsonValue
  /** Called as soon as a line is too long. */
  readonly onLongLine?: (number: number) => void
}

const newline = 0x0a

/** Counts, parses and checks each line. Blank lines and a byte order mark are skipped. */
export function createRecordScanner(options: ScanOptions): RecordScanner {
  const { includesSubagents, maxLineBytes, parse, onLongLine } = options
  const collector = createEvidenceCollector(includesSubagents)
  let number = 0
  let last: LineFacts | undefined
  /** The line that has begun and has no newline yet. */
  let begun: Buffer[] = []
  let begunBytes = 0

  const begin = (bytes: Buffer): void => {
    if (begunBytes <= maxLineBytes) {
      // Copied: a view would keep the whole chunk in memory.
      begun.push(Buffer.from(bytes.subarray(0, maxLineBytes - begunBytes)))
      if (begunBytes + bytes.length > maxLineBytes) onLongLine?.(number + 1)
    }
    begunBytes += bytes.length
  }

  /** Whether the line is not blank. */
  const take = (text: string, isWhole: boolean): boolean => {
    number++
    const line = number === 1 ? withoutMark(text) : text
    // Nearly every line begins with a brace, and is not blank.
    if (line[0] !== '{' && /^[ \t\r]*$/.test(line)) return false
    last = isWhole ? factsOf(line, parse) : undefined
    collector.add(last, number)
    return true
  }

  const takeBegun = (): boolean => {
    const isWhole = begunBytes <= maxLineBytes
    const text = Buffer.concat(begun).toString()
    begun = []
    begunBytes = 0
    return take(text, isWhole)
  }

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
      let start = 0
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
        if (begunBytes === 0) take(bytes.toString('utf8', start, end), true)
        else {
          begin(bytes.subarray(start, end))
          takeBegun()
        }
        start = end + 1
      }
      if (start < bytes.length) begin(bytes.subarray(start))
    },
    finish(isCutOff) {
      const endsWithNewline = begunBytes === 0 || !takeBegun()
      return collector.finish({ last, isCutOff, endsWithNewline })
    },
  }
}

function factsOf(line: string, parse: ScanOptions['parse']): LineFacts {
  try {
    return lineFacts(parse(line))
  } catch (error) {
    if (error instanceof SyntaxError) return { shape: 'broken' }
    throw error
  }
}

type RecordEnd = Pick<RecordEvidence, 'last' | 'endsWithNewline' | 'isCutOff'>

/** What follows a dispatch and says that its session could not be exported is no event of that session, which it may name. */
function inPlaceOfSession(facts: LineFacts | undefined): LineFacts | undefined {
  if (facts?.shape !== 'event' || facts.kind !== 'error' || facts.seq !== undefined) return facts
  return 'ts' in facts.line || 'entry_kind' in facts.line ? facts : { ...facts, shape: 'loose' }
}

/** The first line of each kind of fault. */
type Faults = Pick<RecordEvidence, 'brokenLine' | 'longLine' | 'failure' | 'emptyDispatchLine' | 'gap'>

interface EvidenceCollector {
  /** Without facts the line is too long to be read. */
  add(facts: LineFacts | undefined, number: number): void
  finish(end: RecordEnd): RecordScan
}

function createEvidenceCollector(includesSubagents: boolean): EvidenceCollector {
  const stack = createSessionStack()
  const faults: { -readonly [K in keyof Faults]: Faults[K] } = {}
  let first: LineFacts | undefined
  let [lines, metas, lastLineNumber] = [0, 0, 0]
  let isNumbered = false
  let dispatchLine: number | undefined

  return {
    add(given, number) {
      const facts = dispatchLine === undefined ? given : inPlaceOfSession(given)
      lines++
      lastLineNumber = number
      if (lines === 1) first = facts
      // A sub-session that could not be exported is an error line in its place.
      if (facts?.shape !== 'meta' && facts?.shape !== 'loose') faults.emptyDispatchLine ??= dispatchLine
      dispatchLine = undefined
      if (!facts) faults.longLine ??= number
      else if (facts.shape === 'broken') faults.brokenLine ??= number
      else if (facts.shape === 'meta') {
        metas++
        stack.open(facts)
      } else if (facts.shape === 'event') {
        isNumbered = true
        if (includesSubagents && facts.kind === 'subagent_dispatch') dispatchLine = number
        const gap = stack.place(facts)
        if (gap) faults.gap ??= { ...gap, line: number }
      } else if (reportsFailure(facts, isNumbered))
        faults.failure ??= { line: number, text: failureText(facts.line) }
    },
    finish(end) {
      const verdict = judgeRecord({
        ...faults,
        emptyDispatchLine: faults.emptyDispatchLine ?? dispatchLine,
        ...end,
        lines,
        first,
        lastLineNumber,
        isNumbered,
        openSessions: stack.sessions,
      })
      return { lines, subSessions: Math.max(metas - 1, 0), verdict }
    },
  }
}
