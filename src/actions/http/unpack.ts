import { pipeline, Readable, type Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type ZlibOptions,
} from 'node:zlib'
import type { AnswerHead, AnswerHeaders } from '../../api/http/index.ts'
import { errorData, RunbookError } from '../../core/run-error.ts'

type Unpacker = (ends: ZlibOptions, firstByte: number) => Transform

const unpackers: Readonly<Record<string, Unpacker>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  // Some servers leave out the frame of zlib.
  deflate: (ends, firstByte) => ((firstByte & 0x0f) === 8 ? createInflate(ends) : createInflateRaw(ends)),
  br: ({ finishFlush }) =>
    createBrotliDecompress(
      finishFlush === undefined ? {} : { finishFlush: constants.BROTLI_OPERATION_FLUSH },
    ),
}

/** How often a body may be packed: each time more can make a small body large enough to keep a machine busy. */
const mostTimes = 2

/**
 * Unpacks a body, and reads little more than `most` bytes of its content. `isCut`: its end may be missing, and what there
 * is of it counts; nothing, where it cannot be unpacked. Otherwise throws as `unpackStream`.
 */
export async function unpackBody(
  packed: Buffer,
  head: AnswerHead,
  most: number,
  isCut: boolean,
): Promise<{ readonly body: Buffer; readonly head: AnswerHead }> {
  // The answer to a HEAD names a packing, and has no body.
  if (packed.length === 0) return { body: packed, head }
  const { 'content-encoding': _, ...headers } = head.headers
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for await (const part of unpackStream(Readable.from([packed]), head.headers, isCut)) {
      parts.push(part)
      length += part.length
      if (length > most) break
    }
  } catch (error) {
    if (!isCut) throw error
  }
  return { body: Buffer.concat(parts), head: { ...head, headers } }
}

/** The content of a body that comes in pieces. Throws `HttpFailed` where it cannot be unpacked. */
export async function* unpackStream(
  chunks: AsyncIterable<Uint8Array>,
  headers: AnswerHeaders,
  isCut = false,
): AsyncGenerator<Uint8Array> {
  const codings = [headers['content-encoding'] ?? []]
    .flat()
    .flatMap((value) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  const unknown = codings.find((coding) => !Object.hasOwn(unpackers, coding))
  let content = chunks
  for (const coding of codings.reverse()) {
    if (unknown !== undefined) throw unpackable(`packed as ${unknown}, which is not known`)
    if (codings.length > mostTimes) throw unpackable(`packed ${codings.length} times`)
    content = unpackOnce(content, unpackers[coding] as Unpacker, isCut)
  }
  yield* content
}

async function* unpackOnce(
  chunks: AsyncIterable<Uint8Array>,
  unpacker: Unpacker,
  isCut: boolean,
): AsyncGenerator<Uint8Array> {
  const reader = chunks[Symbol.asyncIterator]()
  const first = await reader.next()
  // An empty body was not packed.
  if (first.done) return
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => reader }
  }
  const unpacking = unpacker(isCut ? { finishFlush: constants.Z_SYNC_FLUSH } : {}, first.value[0] ?? 0)
  try {
    yield* pipeline(Readable.from(all()), unpacking, () => {})
  } catch (error) {
    throw RunbookError.is(error) ? error : unpackable(`packed: ${errorData(error).message}`, error)
  }
}

function unpackable(what: string, cause?: unknown): RunbookError {
  const message = `the answer cannot be unpacked: it says that it is ${what}`
  return new RunbookError('HttpFailed', message, { cause })
}
