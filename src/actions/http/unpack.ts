import { pipeline, Readable } from 'node:stream'
import { brotliDecompressSync, constants, createBrotliDecompress, createUnzip, unzipSync } from 'node:zlib'
import { type AnswerHead, type AnswerHeaders, headerValue } from '../../api/http/index.ts'
import { errorData, RunbookError } from '../../core/run-error.ts'

/** What is packed with something else stays as it is. */
const unzipped = ['gzip', 'x-gzip', 'deflate']

function codingOf(headers: AnswerHeaders): 'zip' | 'brotli' | undefined {
  const coding = headerValue(headers, 'content-encoding')?.trim().toLowerCase() ?? ''
  if (coding === 'br') return 'brotli'
  return unzipped.includes(coding) ? 'zip' : undefined
}

/** An answer as if its body had not been packed. */
export interface Unpacked {
  readonly body: Buffer
  readonly head: AnswerHead
  /** It would be larger than allowed, and is left out. */
  readonly isTooLarge?: true
}

/** Unpacks a body of at most this many bytes, also where its end is missing. What cannot be unpacked stays as it is. */
export function unpackBody(packed: Buffer, head: AnswerHead, most: number): Unpacked {
  const coding = codingOf(head.headers)
  if (coding === undefined || packed.length === 0) return { body: packed, head }
  const { 'content-encoding': _, ...headers } = head.headers
  const plain = { ...head, headers }
  const options = { maxOutputLength: most }
  try {
    const body =
      coding === 'zip'
        ? unzipSync(packed, { ...options, finishFlush: constants.Z_SYNC_FLUSH })
        : brotliDecompressSync(packed, { ...options, finishFlush: constants.BROTLI_OPERATION_FLUSH })
    return { body, head: plain }
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    return isTooLarge ? { body: Buffer.alloc(0), head: plain, isTooLarge } : { body: packed, head }
  }
}

/** The content of a body that comes in pieces. Throws `HttpFailed` where it cannot be unpacked. */
export async function* unpackStream(
  chunks: AsyncIterable<Uint8Array>,
  headers: AnswerHeaders,
): AsyncGenerator<Uint8Array> {
  const coding = codingOf(headers)
  const unpacking = coding === 'zip' ? createUnzip() : createBrotliDecompress()
  try {
    yield* coding === undefined ? chunks : pipeline(Readable.from(chunks), unpacking, () => {})
  } catch (error) {
    if (RunbookError.is(error)) throw error
    const message = `the answer says that it is packed and cannot be unpacked: ${errorData(error).message}`
    throw new RunbookError('HttpFailed', message, { cause: error })
  }
}
