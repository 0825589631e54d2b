import { isUtf8 } from 'node:buffer'

/** Takes secrets out of bytes that come in pieces, also where a secret is cut in two. */
export interface StreamMask {
  /** The bytes that can hold no part of a secret any more. */
  push(piece: Uint8Array): Buffer
  /** What is left. */
  end(): Buffer
}

/** The longest secret there can be, in its longest encoding: so much may belong to one that has only begun. */
const heldLength = 12 * 64 * 1024

/** Hides what a mask knows: in text as it is, and in bytes that are no text as far as they are ASCII. */
export function createStreamMask(maskText: (text: string) => string): StreamMask {
  let pieces: Uint8Array[] = []
  let length = 0
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
      const { whole, rest } = atCharacter(take())
      const encoding = encodingOf(whole)
      const masked = maskText(whole.toString(encoding))
      const at = boundaryIn(masked, Math.max(masked.length - heldLength, 0))
      keep(Buffer.from(masked.slice(at), encoding))
      keep(rest)
      return Buffer.from(masked.slice(0, at), encoding)
    },
    end() {
      const left = take()
      const encoding = encodingOf(left)
      return Buffer.from(maskText(left.toString(encoding)), encoding)
    },
  }
}

function encodingOf(bytes: Buffer): 'utf8' | 'latin1' {
  return isUtf8(bytes) ? 'utf8' : 'latin1'
}

/** Leaves the beginning of a character that is not whole yet to the next piece. */
function atCharacter(bytes: Buffer): { readonly whole: Buffer; readonly rest: Buffer } {
  for (let back = 1; back <= 3; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) return { whole: bytes.subarray(0, -back), rest: bytes.subarray(-back) }
  }
  return { whole: bytes, rest: Buffer.alloc(0) }
}

/** Not in the middle of a pair of surrogates. */
function boundaryIn(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
