import { isJsonObject } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import { type ParsedJson, parseJson } from '../parse-json.ts'
import { createEvidenceCollector, type RecordScan } from './collect-evidence.ts'
import { broken, type LineFacts, lineFacts } from './line-facts.ts'
import { receive } from './reception.ts'
import { type SessionLine, sessionLine } from './session-line.ts'
import { createLineSplitter, type RawLine } from './split-lines.ts'
import { type RecordFacts, summarizeRecord } from './summarize-record.ts'
import { truncatedExport } from './truncated-export.ts'

/** How a record is read. */
export interface ReadRecordOptions {
  /** Ends reading with `Cancelled`. */
  readonly signal?: AbortSignal
  /** The service was asked for the sub-sessions, so that a missing one is a sign. */
  readonly includeSubagents?: boolean
  /**
   * A longer line is an `AnswerTooLarge`.
   * @default 64 MiB
   */
  readonly maxLineBytes?: number
  /** Told after the last line of a record that is not truncated. */
  readonly onEnd?: (summary: RecordSummary) => void
}

/** What is known of a record once its last line has been read. */
export interface RecordSummary extends RecordFacts {
  /** How many numbers are given as text, since they would lose digits. */
  readonly numbersAsText: number
}

const defaultMaxLineBytes = 64 * 1024 * 1024

/**
 * Reads the lines of a record as they come, parsed. A reader that stops early cancels the source.
 *
 * Lines are handed out before it is known whether the record is whole: after the last one it throws
 * `TruncatedExport` when there are signs that it is not. A line that is not JSON is left out and is such a sign.
 */
export async function* readRecord(
  source: AsyncIterable<Uint8Array>,
  options: ReadRecordOptions = {},
): AsyncGenerator<SessionLine, void, undefined> {
  const { signal, onEnd } = options
  const reception = receive(source, signal)
  const reader = createLineReader(options)
  for await (const chunk of reception.chunks) yield* reader.push(chunk)
  const { isCutOff, cause } = reception.end()
  const { lines, scan, numbersAsText } = reader.finish(isCutOff)
  yield* lines
  if (scan.verdict.grade === 'truncated') throw truncatedExport(scan, { bytes: reception.bytes, cause })
  onEnd?.({ ...summarizeRecord(scan), numbersAsText })
}

interface LineReader {
  /** The lines that end in this chunk. */
  push(chunk: Uint8Array): readonly SessionLine[]
  finish(isCutOff: boolean): LastLines
}

interface LastLines {
  readonly lines: readonly SessionLine[]
  readonly scan: RecordScan
  readonly numbersAsText: number
}

function createLineReader({ includeSubagents = false, maxLineBytes }: ReadRecordOptions): LineReader {
  const collector = createEvidenceCollector(includeSubagents)
  const limit = maxLineBytes ?? defaultMaxLineBytes
  let ready: SessionLine[] = []
  let last: LineFacts | undefined
  let numbersAsText = 0

  const splitter = createLineSplitter({
    maxLineBytes: limit,
    onLongLine(number) {
      throw new RunbookError('AnswerTooLarge', `line ${number} of the record is longer than ${limit} bytes`)
    },
    onLine(raw) {
      const parsed = parseLine(raw)
      last = parsed ? lineFacts(parsed.value) : broken
      collector.read(last, raw.number)
      numbersAsText += parsed?.bigNumbers.length ?? 0
      if (parsed && isJsonObject(parsed.value)) ready.push(sessionLine(parsed.value))
    },
  })

  const taken = (): readonly SessionLine[] => {
    const lines = ready
    ready = []
    return lines
  }

  return {
    push(chunk) {
      splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length))
      return taken()
    },
    finish(isCutOff) {
      const endsWithNewline = !splitter.end()
      const scan = collector.finish(last, { isCutOff, endsWithNewline })
      return { lines: taken(), scan, numbersAsText }
    },
  }
}

/** `undefined` where the line is not JSON. */
function parseLine({ bytes, start, end }: Readonly<RawLine>): ParsedJson | undefined {
  try {
    return parseJson(bytes.toString('utf8', start, end))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
