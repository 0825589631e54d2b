import { isJsonObject } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import { parseJson } from '../validation/parse-json.ts'
import { type RecordFacts, receive, summarizeRecord, truncatedExport } from './record-end.ts'
import { createRecordScanner } from './scan-record.ts'
import { type SessionLine, sessionLine } from './session-line.ts'

/** How a record is read. */
export interface ReadRecordOptions {
  /** The request asked for the sub-sessions, so that a missing one is a sign. */
  readonly includeSubagents?: boolean
  /**
   * A longer line is an `AnswerTooLarge`.
   * @default 64 MiB
   */
  readonly maxLineBytes?: number
  /** Called after the last line of a record that is not truncated. */
  readonly onEnd?: (summary: RecordSummary) => void
}

/** What is known of a record once its last line has been read. */
export interface RecordSummary extends RecordFacts {
  /** How many numbers are given as text, since they would lose digits. */
  readonly numbersAsText: number
}

/**
 * Reads the lines of a record as they arrive, parsed. A reader that stops early cancels the source.
 *
 * Lines arrive before the judgement whether the record is whole. After the last line it throws `TruncatedExport` if
 * there are signs of truncation. It leaves out lines that are not JSON, which are such a sign.
 */
export async function* readRecord(
  source: AsyncIterable<Uint8Array>,
  { includeSubagents = false, maxLineBytes = 64 * 1024 * 1024, onEnd }: ReadRecordOptions = {},
): AsyncGenerator<SessionLine, void, undefined> {
  const reader = receive(source)
  const ready: SessionLine[] = []
  let numbersAsText = 0
  const scanner = createRecordScanner({
    includesSubagents: includeSubagents,
    maxLineBytes,
    parse(text) {
      const { value, bigNumbers } = parseJson(text)
      numbersAsText += bigNumbers.length
      if (isJsonObject(value)) ready.push(sessionLine(value))
      return value
    },
    onLongLine(number) {
      throw new RunbookError(
        'AnswerTooLarge',
        `line ${number} of the record is longer than ${maxLineBytes} bytes`,
      )
    },
  })
  for await (const chunk of reader.chunks) {
    scanner.push(chunk)
    yield* ready.splice(0)
  }
  const scan = scanner.finish(reader.failure !== undefined)
  yield* ready
  if (scan.verdict.grade === 'truncated') throw truncatedExport(scan, reader)
  onEnd?.({ ...summarizeRecord(scan), numbersAsText })
}
