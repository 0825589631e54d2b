import { RunbookError } from '../../core/run-error.ts'
import type { SessionExport } from '../operations/index.ts'
import type { RecordScan } from './scan-record.ts'

/** Reads a source. A failure after the first byte is not an error but the end of a truncated record. */
export interface BodyReader {
  readonly chunks: AsyncIterable<Uint8Array>
  /** How many bytes have arrived. */
  readonly bytes: number
  /** The source failed after the first byte. */
  readonly failure: { readonly cause: unknown } | undefined
}

/** A failure before the first byte, and `Cancelled` at any time, are thrown as they are. */
export function receive(source: AsyncIterable<Uint8Array>): BodyReader {
  const reader = { chunks: read(), bytes: 0, failure: undefined as BodyReader['failure'] }
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of source) {
        reader.bytes += chunk.length
        yield chunk
      }
    } catch (cause) {
      if (reader.bytes === 0 || (RunbookError.is(cause) && cause.code === 'Cancelled')) throw cause
      reader.failure = { cause }
    }
  }
  return reader
}

/** The facts about a record that is not truncated. */
export type RecordFacts = Pick<SessionExport, 'lines' | 'sub_sessions' | 'complete' | 'signs' | 'doubt'>

export function summarizeRecord({ lines, subSessions, verdict }: RecordScan): RecordFacts {
  const { grade, signs, reasons } = verdict
  return {
    lines,
    sub_sessions: subSessions,
    complete: grade === 'whole' ? 'yes' : 'unknown',
    signs,
    ...(reasons.length > 0 ? { doubt: reasons.join('; ') } : {}),
  }
}

/** The error for a record that is not whole, with the signs of it. `path` is the file that holds what arrived. */
export function truncatedExport(
  { verdict, lines }: RecordScan,
  { bytes, failure }: BodyReader,
  path?: string,
): RunbookError {
  const because = failure?.cause instanceof Error ? ` (${failure.cause.message})` : ''
  const kept = path === undefined ? '' : `; ${bytes} bytes in ${lines} lines are kept in ${path}`
  const message = `the record is not whole: ${verdict.reasons.join('; ')}${because}${kept}`
  return new RunbookError('TruncatedExport', message, {
    details: { signs: verdict.signs, bytes, lines, ...(path === undefined ? {} : { path }) },
    ...failure,
  })
}
