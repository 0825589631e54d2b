import { createHash } from 'node:crypto'
import type { SessionExport } from '../operations/index.ts'
import { allocateBlock } from './block-writer.ts'
import type { RecordScan } from './collect-evidence.ts'
import { createBlockRing, gatherBlocks } from './gather-blocks.ts'
import { openPartialFile, type PartialFile } from './partial-file.ts'
import { type Reception, receive } from './reception.ts'
import { createRecordScanner } from './scan-record.ts'
import { truncatedExport } from './truncated-export.ts'

/** How a record is written. */
export interface WriteRecordOptions {
  /** Ends the export with `Cancelled`; nothing is left behind. */
  readonly signal?: AbortSignal
  /** The service was asked for the sub-sessions, so that a missing one is a sign. */
  readonly includeSubagents?: boolean
}

const blockBytes = 512 * 1024
/** One is filled while the other is on its way to disk. */
const blockCount = 2

/**
 * Writes a record to a file, which is there only once the record is whole; memory stays the same for any length.
 *
 * The source is not asked for anything before the file is open. Rejects with `TruncatedExport` when there are signs
 * that the record is not whole (the partial file is kept), with `FileNotWritten`, with `Cancelled`, and with the
 * error of the source itself if that comes before any byte.
 */
export async function writeRecord(
  source: AsyncIterable<Uint8Array>,
  file: string,
  { signal, includeSubagents = false }: WriteRecordOptions = {},
): Promise<SessionExport> {
  const partial = await openPartialFile(file)
  const reception = receive(source, signal)
  const { scan, sha256, cause } = await orDiscard(partial, save(reception, partial, includeSubagents))
  const { bytes } = reception
  const { grade, signs, reasons } = scan.verdict
  if (grade === 'truncated') {
    const path = bytes > 0 ? await partial.keep() : await partial.discard()
    throw truncatedExport(scan, { bytes, path, cause })
  }
  await orDiscard(partial, partial.complete())
  return {
    path: file,
    bytes,
    sha256,
    lines: scan.lines,
    sub_sessions: scan.subSessions,
    complete: grade === 'whole' ? 'yes' : 'unknown',
    signs,
    ...(reasons.length > 0 ? { doubt: reasons.join('; ') } : {}),
  }
}

interface Saved {
  readonly sha256: string
  readonly scan: RecordScan
  /** What ended the source early. */
  readonly cause: unknown
}

async function save(reception: Reception, partial: PartialFile, includesSubagents: boolean): Promise<Saved> {
  const hash = createHash('sha256')
  const scanner = createRecordScanner(includesSubagents)
  const ring = createBlockRing(blockCount, () => allocateBlock(blockBytes))
  for await (const block of gatherBlocks(reception.chunks, ring)) {
    ring.occupy(partial.append(block))
    hash.update(block)
    scanner.push(block)
  }
  await ring.settled()
  const { isCutOff, cause } = reception.end()
  return { sha256: hash.digest('hex'), scan: scanner.finish(isCutOff), cause }
}

/** A file whose writing failed is of no use. */
async function orDiscard<T>(partial: PartialFile, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    await partial.discard()
    throw error
  }
}
