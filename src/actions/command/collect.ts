import type { Masking } from '../../core/mask/index.ts'

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
      const most = mostKept + mask.reach()
      const held = part === 'first' ? all.subarray(0, most) : all.subarray(-most)
      const text = mask.text(held.toString())
      const isWhole = bytes <= mostKept
      return { text: isWhole ? text : cut(text, part, mostKept), bytes, isWhole }
    },
  }
}

/** The first or the last part, by whole characters. */
function cut(text: string, part: 'first' | 'last', most: number): string {
  const whole = Buffer.from(text)
  if (whole.length <= most) return text
  let at = part === 'first' ? most : whole.length - most
  // A byte inside of a character begins with the bits 10.
  while (((whole[at] ?? 0) & 0xc0) === 0x80) at += part === 'first' ? -1 : 1
  return (part === 'first' ? whole.subarray(0, at) : whole.subarray(at)).toString()
}
