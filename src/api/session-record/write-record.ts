import { createHash } from 'node:crypto'
import type { SessionExport } from '../operations/index.ts'
import { openPartialFile, type PartialFile } from './partial-file.ts'
import { receive, summarizeRecord, truncatedExport } from './record-end.ts'
import { createRecordScanner } from './scan-record.ts'

/** How a record is written. */
export interface WriteRecordOptions {
  /** The request asked for the sub-sessions, so that a missing one is a sign. */
  readonly includeSubagents?: boolean
}

/** Longer lines are counted, but not read. */
const maxLineBytes = 16 * 1024 * 1024

/**
 * Writes a record to a file, which exists only once the record is whole. Memory stays the same for any length.
 *
 * The source is not asked for anything before the file is open. Rejects with `TruncatedExport` when there are signs
 * that the record is not whole (the partial file is kept), with `FileNotWritten`, and with the error of the source
 * itself if that comes before any byte or is `Cancelled`.
 */
export async function writeRecord(
  source: AsyncIterable<Uint8Array>,
  file: string,
  { includeSubagents = false }: WriteRecordOptions = {},
): Promise<SessionExport> {
  const partial = await openPartialFile(file)
  const reader = receive(source)
  const hash = createHash('sha256')
  const scanner = createRecordScanner({
    includesSubagents: includeSubagents,
    maxLineBytes,
    parse: (text) => JSON.parse(text),
  })
  await orDiscard(partial, async () => {
    for await (const chunk of reader.chunks) {
      const written = partial.append(chunk)
      // Meanwhile the system writes.
      hash.update(chunk)
      scanner.push(chunk)
      await written
    }
  })
  const { bytes, failure } = reader
  const scan = scanner.finish(failure !== undefined)
  if (scan.verdict.grade === 'truncated') {
    const path = bytes > 0 ? await partial.keep() : await partial.discard()
    throw truncatedExport(scan, reader, path)
  }
  await orDiscard(partial, () => partial.complete())
  return { path: file, bytes, sha256: hash.digest('hex'), ...summarizeRecord(scan) }
}

/** A file whose writing failed is of no use. */
async function orDiscard(partial: PartialFile, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    await partial.discard()
    throw error
  }
}
