/** The codes of a compressor are whole numbers of bits, and repeats that it finds by chance cost more than they save. */
const roundingUp = 1.1

/**
 * At most how many bytes a value takes once it is packed: as if nothing in it were ever repeated. The compressor itself
 * is out of reach of a workflow; what is random, such as keys, it cannot make smaller than this.
 */
export function packedBytes(value: object): number {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  const counts = new Array<number>(256).fill(0)
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1
  let bits = 0
  for (const count of counts) if (count > 0) bits += count * Math.log2(bytes.length / count)
  return Math.ceil((bits / 8) * roundingUp)
}
