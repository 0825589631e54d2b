/** The codes of a compressor are whole numbers of bits, and repeats that it finds by chance cost more than they save. */
const roundingUp = 1.1

/**
 * At most how many bytes a value takes once it is packed: as if nothing in it were ever repeated. The compressor itself
 * is out of reach of a workflow; what is random, such as keys, it cannot make smaller than this.
 */
export function packedBytes(value: object): number {
  const { length, counts } = countBytes(value)
  let bits = 0
  for (const count of counts) if (count > 0) bits += count * Math.log2(length / count)
  return Math.ceil((bits / 8) * roundingUp)
}

/**
 * Measures how many of the packed bytes of a value each of its parts takes: what is rare in it takes more. When parts are
 * taken away, what is left takes no more than the sum of its own measures.
 */
export function measureParts(whole: object): (part: object) => number {
  const { length, counts } = countBytes(whole)
  const bitsOf = counts.map((count) => (count > 0 ? Math.log2(length / count) : 0))
  return (part) => {
    let bits = 0
    for (const [byte, count] of countBytes(part).counts.entries()) bits += count * (bitsOf[byte] ?? 0)
    return (bits / 8) * roundingUp
  }
}

/** How often each byte is in its JSON. */
function countBytes(value: object): { readonly length: number; readonly counts: readonly number[] } {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  const counts = new Array<number>(256).fill(0)
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1
  return { length: bytes.length, counts }
}
