import type { SessionExport } from '../operations/index.ts'
import { leaveBlockMemory, takeBlockMemory } from './block-memory.ts'
import type { RecordScan } from './collect-evidence.ts'
import { createBlockRing, gatherBlocks } from './gather-blocks.ts'
import { createBlockHasher } from './hash-blocks.ts'
import { openPartialFile, type PartialFile } from './partial-file.ts'
import { type Reception, receive } from './reception.ts'
import { createRecordScanner, type RecordScanner } from './scan-record.ts'
import { summarizeRecord } from './summarize-record.ts'
import { truncatedExport } from './truncated-export.ts'

/** How a record is written. */
export interface WriteRecordOptions {
  /** Ends the export with `Cancelled`; nothing is left behind. */
  readonly signal?: AbortSignal
  /** The service was asked for the sub-sessions, so that a missing one is a sign. */
  readonly includeSubagents?: boolean
}

/** Waking the threads that hash and write takes as long whatever the block. */
const blockBytes = 1024 * 1024
/** One is filled while the others are hashed and on their way to disk. */
const blockCount = 3

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
  if (scan.verdict.grade === 'truncated') {
    const path = bytes > 0 ? await partial.keep() : await partial.discard()
    throw truncatedExport(scan, { bytes, path, cause })
  }
  await orDiscard(partial, partial.complete())
  return {
    path: file,
    bytes,
    sha256,
    ...summarizeRecord(scan),
  }
}

interface Saved {
  readonly sha256: string
  readonly scan: RecordScan
  /** What ended the source early. */
  readonly cause: unknown
}

async function save(reception: Reception, partial: PartialFile, includesSubagents: boolean): Promise<Saved> {
  const memory = takeBlockMemory(blockCount * blockBytes)
  const ring = createBlockRing(memory, blockBytes)
  const hasher = createBlockHasher(memory, blockCount - 1)
  const scanner = createRecordScanner(includesSubagents)
  try {
    for await (const block of gatherBlocks(scanning(reception.chunks, scanner), ring)) {
      ring.occupy(Promise.all([partial.append(block), hasher.update(block)]))
    }
    const sha256 = await hasher.digest()
    await ring.settled()
    leaveBlockMemory(memory)
    const { isCutOff, cause } = reception.end()
    return { sha256, scan: scanner.finish(isCutOff), cause }
  } finally {
    await hasher.close()
  }
}

/** The chunks are looked through as they come, since memory that threads share is slower to read. */
async function* scanning(
  chunks: AsyncIterable<Uint8Array>,
  scanner: RecordScanner,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    scanner.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length))
    yield chunk
  }
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
