import { isUtf8 } from 'node:buffer'
import { type Masking, secretMark } from '../../core/mask/index.ts'

/** What is kept of an output, in bytes. */
export const mostKeptOutput: number = 64 * 1024
/** What is read of an output that is JSON, as of an answer of HTTP. */
export const mostJsonOutput: number = 1024 * 1024
/** The longest secret in its longest form: so much is searched besides, so that a cut shows no part of a secret. */
const margin = 12 * 64 * 1024

/** A part of an output, without the secrets. */
export interface Collected {
  readonly text: string
  /** Of the whole output. */
  readonly bytes: number
  readonly isWhole: boolean
  /** Without bytes that are no character. */
  readonly isUtf8: boolean
}

/** Keeps the first, or the last, part of a stream. */
export interface Collector {
  add(chunk: Buffer): void
  read(mask: Masking): Collected
}

export function createCollector(part: 'first' | 'last', mostKept: number = mostKeptOutput): Collector {
  let pieces: Buffer[] = []
  let length = 0
  let bytes = 0
  const most = mostKept + margin
  return {
    add(chunk) {
      bytes += chunk.length
      if (part === 'first' && length >= most) return
      pieces.push(chunk)
      length += chunk.length
      if (length < 2 * most) return
      const all = Buffer.concat(pieces)
      const held = part === 'first' ? all.subarray(0, most) : all.subarray(-most)
      pieces = [Buffer.from(held)]
      length = held.length
    },
    read(mask) {
      const all = Buffer.concat(pieces)
      // One more: what comes after the cut shows whether a character goes through it.
      const most = mostKept + mask.reach() + 1
      const held = part === 'first' ? all.subarray(0, most) : all.subarray(-most)
      const text = held.toString()
      const kept = wholeCharacters(held, part, mostKept).toString().length
      const start = part === 'first' ? 0 : text.length - kept
      return {
        text: shown(text, start, start + kept, mask),
        bytes,
        isWhole: bytes <= mostKept,
        isUtf8: isUtf8(held),
      }
    },
  }
}

/** The first or the last bytes. No character is cut: none has more than three bytes that begin with the bits 10. */
function wholeCharacters(held: Buffer, part: 'first' | 'last', most: number): Buffer {
  if (held.length <= most) return held
  const step = part === 'first' ? -1 : 1
  const cut = part === 'first' ? most : held.length - most
  let at = cut
  while (Math.abs(at - cut) < 3 && ((held[at] ?? 0) & 0xc0) === 0x80) at += step
  return part === 'first' ? held.subarray(0, at) : held.subarray(at)
}

/** A part of a text without the secrets: of one that the cut goes through, nothing is shown. */
function shown(text: string, start: number, end: number, mask: Masking): string {
  let shown = ''
  let from = start
  for (const span of mask.secretsIn(text)) {
    if (span.end <= start || span.start >= end) continue
    shown += text.slice(from, span.start) + secretMark
    from = span.end
  }
  return shown + text.slice(from, end)
}
