import { pipeline, Readable } from 'node:stream'
import { brotliDecompressSync, constants, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib'
import { type AnswerHead, type AnswerHeaders, headerValue } from '../../api/http/index.ts'
import { errorData, RunbookError } from '../../core/run-error.ts'

/** What is packed with something else stays as it is. */
const unzipped = ['gzip', 'x-gzip']

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

/**
 * Unpacks a body of at most this many bytes. What cannot be unpacked stays as it is. `isCut`: its end may be missing, and
 * what there is of it counts.
 */
export function unpackBody(packed: Buffer, head: AnswerHead, most: number, isCut: boolean): Unpacked {
  const coding = codingOf(head.headers)
  if (coding === undefined || packed.length === 0) return { body: packed, head }
  const { 'content-encoding': _, ...headers } = head.headers
  const plain = { ...head, headers }
  try {
    const body =
      coding === 'zip'
        ? gunzipSync(packed, {
            maxOutputLength: most,
            ...(isCut ? { finishFlush: constants.Z_SYNC_FLUSH } : {}),
          })
        : brotliDecompressSync(packed, {
            maxOutputLength: most,
            ...(isCut ? { finishFlush: constants.BROTLI_OPERATION_FLUSH } : {}),
          })
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
  if (coding === undefined) return yield* chunks
  const unpacking = coding === 'zip' ? createGunzip() : createBrotliDecompress()
  const reader = chunks[Symbol.asyncIterator]()
  const first = await reader.next()
  // An empty body was not packed.
  if (first.done) return
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => reader }
  }
  try {
    yield* pipeline(Readable.from(all()), unpacking, () => {})
  } catch (error) {
    if (RunbookError.is(error)) throw error
    const message = `the answer says that it is packed and cannot be unpacked: ${errorData(error).message}`
    throw new RunbookError('HttpFailed', message, { cause: error })
  }
}
