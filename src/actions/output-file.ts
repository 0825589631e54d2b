import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { openPartialFile } from '../api/session-record/index.ts'
import { type Masking, mergeSpans, type Span, secretMark } from '../core/mask/index.ts'
import { RunbookError } from '../core/run-error.ts'
import type { Artifacts } from './action.ts'
import type { WrittenArtifact } from './write.ts'

/** A larger file is not written, in bytes. */
const mostBytes = 1024 * 1024 * 1024

/** A file that waits for the data of a call: the body of an answer, or what a command writes. */
export interface OutputFile {
  /** Writes the data without the secrets, as it comes; the file is there when it is whole. */
  write(chunks: AsyncIterable<Uint8Array>): Promise<WrittenArtifact>
  /** Leaves nothing behind. Does nothing once the file is written. */
  discard(): Promise<void>
}

/** What finds the secrets of a file. */
export type Searched = Pick<Masking, 'secretsIn' | 'reach'>

/** Opens the file before anything is sent: what cannot be written must not have been asked for. */
export async function openOutputFile(
  artifacts: Artifacts,
  name: string,
  searched: Searched,
): Promise<OutputFile> {
  const file = await artifacts.fileFor(name)
  const partial = await openPartialFile(file)
  return {
    async write(chunks) {
      const mask = createStreamMask(searched)
      const hash = createHash('sha256')
      let bytes = 0
      const append = async (piece: Buffer): Promise<void> => {
        bytes += piece.length
        if (bytes > mostBytes)
          throw new RunbookError('AnswerTooLarge', 'more than 1 GiB came for the file, which was not kept')
        hash.update(piece)
        await partial.append(piece)
      }
      for await (const chunk of chunks) await append(mask.push(chunk))
      await append(mask.end())
      await partial.complete()
      return { path: relative(artifacts.folder, file), bytes, sha256: hash.digest('hex') }
    },
    discard: async () => void (await partial.discard()),
  }
}

/** Takes secrets out of bytes that come in pieces, also where a secret is cut in two. */
export interface StreamMask {
  /** The bytes that can hold no part of a secret any more. */
  push(piece: Uint8Array): Buffer
  /** What is left. */
  end(): Buffer
}

/** As many bytes are held and searched again at least, since searching fewer at a time is no faster. */
const leastHeld = 64 * 1024

/**
 * Hides what `secretsIn` finds: in text as it is, and in bytes that are no text as far as they are ASCII. A part that
 * was found once stays hidden, also where it is the beginning of a longer secret whose rest comes later.
 */
export function createStreamMask({ secretsIn, reach }: Searched): StreamMask {
  /** As many bytes can belong to a secret that continues in the next piece. */
  const heldLength = Math.max(leastHeld, reach())
  let pieces: Uint8Array[] = []
  let length = 0
  /** The secrets among the held bytes, and one that was cut: it is negative where it begins. */
  let known: readonly Span[] = []
  const take = (): Buffer => {
    const taken = Buffer.concat(pieces)
    pieces = []
    length = 0
    return taken
  }
  const keep = (piece: Uint8Array): void => {
    // The memory of a piece is used again for the next one.
    pieces.push(Buffer.from(piece))
    length += piece.length
  }
  return {
    push(piece) {
      keep(piece)
      // Twice as much, so that each byte is searched about twice and not once for each piece.
      if (length < 2 * heldLength) return Buffer.alloc(0)
      const held = take()
      const at = held.length - heldLength
      const spans = mergeSpans([...known, ...findIn(held, secretsIn)])
      keep(held.subarray(at))
      known = spans
        .filter(({ end }) => end > at)
        .map(({ start, end }) => ({ start: start - at, end: end - at }))
      return shown(held.subarray(0, at), spans)
    },
    end() {
      const left = take()
      return shown(left, mergeSpans([...known, ...findIn(left, secretsIn)]))
    },
  }
}

/** The bytes up to their end without the secrets. One that began before them has been replaced already. */
function shown(bytes: Buffer, spans: readonly Span[]): Buffer {
  const parts: Buffer[] = []
  let from = 0
  for (const { start, end } of spans) {
    if (start >= bytes.length) break
    parts.push(bytes.subarray(from, Math.max(start, 0)))
    if (start >= 0) parts.push(Buffer.from(secretMark))
    from = Math.min(end, bytes.length)
  }
  return Buffer.concat([...parts, bytes.subarray(from)])
}

/** Where the secrets are, counted in bytes. */
function findIn(bytes: Buffer, secretsIn: (text: string) => readonly Span[]): readonly Span[] {
  const first = firstWhole(bytes)
  const last = lastWhole(bytes)
  const whole = bytes.subarray(first, last)
  const encoding = isUtf8(whole) ? 'utf8' : 'latin1'
  const text = whole.toString(encoding)
  let at = 0
  let byte = first
  const byteOf = (place: number): number => {
    byte += Buffer.byteLength(text.slice(at, place), encoding)
    at = place
    return byte
  }
  return secretsIn(text).map(({ start, end }) => ({ start: byteOf(start), end: byteOf(end) }))
}

/** Skips the rest of a character that was cut. */
function firstWhole(bytes: Buffer): number {
  let at = 0
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++
  return at
}

/** Leaves the beginning of a character that is not whole yet to the next piece. */
function lastWhole(bytes: Buffer): number {
  for (let back = 1; back <= 3; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) return bytes.length - back
  }
  return bytes.length
}
