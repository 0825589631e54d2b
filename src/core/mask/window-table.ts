/** The lengths of known texts, by the hashes of their first characters. */
export interface WindowTable {
  /** How many characters of each text are looked at. */
  readonly size: number
  /** A text of this length begins with characters of this hash. */
  add(hash: number, length: number): void
  /** The lengths of the texts that may begin so, the longest first; undefined where none does. */
  lengths(hash: number): readonly number[] | undefined
}

/** Creates a table that answers for an unknown hash, as nearly all are, after one look into a list of bytes. */
export function createWindowTable(size: number): WindowTable {
  const lengthsOf = new Map<number, number[]>()
  let bits = 12
  let isThere = new Uint8Array(2 ** bits)
  const slot = (hash: number): number => Math.imul(hash, 0x9e3779b1) >>> (32 - bits)
  const grow = (): void => {
    bits++
    isThere = new Uint8Array(2 ** bits)
    for (const hash of lengthsOf.keys()) isThere[slot(hash)] = 1
  }
  return {
    size,
    add(hash, length) {
      const lengths = lengthsOf.get(hash)
      if (lengths === undefined) {
        lengthsOf.set(hash, [length])
        isThere[slot(hash)] = 1
        if (lengthsOf.size * 16 > isThere.length && bits < 24) grow()
      } else if (!lengths.includes(length)) {
        const place = lengths.findIndex((other) => other < length)
        lengths.splice(place < 0 ? lengths.length : place, 0, length)
      }
    },
    lengths: (hash) => (isThere[slot(hash)] === 0 ? undefined : lengthsOf.get(hash)),
  }
}
