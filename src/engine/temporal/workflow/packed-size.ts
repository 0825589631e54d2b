/** Compressors use whole bits for a code, and short repeats cost more than they save. */
const roundingUp = 1.1

/**
 * An upper bound of the compressed size of a value, as if nothing in it was repeated. A workflow cannot call the
 * compressor itself.
 */
export function packedBytes(value: object): number {
  const { length, counts } = countBytes(value)
  let bits = 0
  for (const count of counts) if (count > 0) bits += count * Math.log2(length / count)
  return Math.ceil((bits / 8) * roundingUp)
}

/**
 * Measures the share of each part in the compressed size of a value: rare bytes take more. After parts are removed, the
 * rest takes at most the sum of its measures.
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
