/** The hashes of the parts of one text. */
export interface TextHashes {
  /** Of any part, in constant time and with 53 bits: parts that differ have different ones. */
  part(start: number, end: number): number
}

/** The first characters of known texts. */
export interface Windows {
  add(text: Uint16Array): void
  /** Visits each place where one of them may begin. For nearly every other place one look into a list is enough. */
  eachIn(text: Uint16Array, visit: (start: number) => void): void
}

const base = 0x5bd1e995
const otherBase = 0x2c1b3c6d

/** Creates a polynomial hash function. The hash of a part follows from the hashes of two beginnings of the text. */
export function createHasher(): (text: Uint16Array) => TextHashes {
  let powers = powersOf(base, 64)
  let otherPowers = powersOf(otherBase, 64)
  const growPowers = (longest: number): void => {
    if (longest < powers.length) return
    const size = Math.max(longest + 1, powers.length * 2)
    powers = powersOf(base, size)
    otherPowers = powersOf(otherBase, size)
  }
  return (text) => {
    // Most texts need no hash of a part.
    let sums: { readonly one: Int32Array; readonly other: Int32Array } | undefined
    return {
      part(start, end) {
        sums ??= { one: sumsOf(text, base), other: sumsOf(text, otherBase) }
        growPowers(end - start)
        return joined(partOf(sums.one, powers, start, end), partOf(sums.other, otherPowers, start, end))
      },
    }
  }
}

/** Creates an empty table of texts, of which it keeps the hashes of the first `size` characters. */
export function createWindows(size: number): Windows {
  const power = powerOf(base, size)
  const hashes = new Set<number>()
  let bits = 12
  let isThere = new Uint8Array(2 ** bits)
  const slot = (hash: number): number => Math.imul(hash, 0x9e3779b1) >>> (32 - bits)
  return {
    add(text) {
      let hash = 0
      for (let at = 0; at < size; at++) hash = next(hash, base, text[at] as number)
      hashes.add(hash)
      isThere[slot(hash)] = 1
      if (hashes.size * 16 <= isThere.length || bits >= 24) return
      bits++
      isThere = new Uint8Array(2 ** bits)
      for (const one of hashes) isThere[slot(one)] = 1
    },
    eachIn(text, visit) {
      if (hashes.size === 0) return
      let hash = 0
      for (let at = 0; at < text.length; at++) {
        hash = next(hash, base, text[at] as number)
        if (at >= size) hash = (hash - Math.imul((text[at - size] as number) + 1, power)) | 0
        if (isThere[slot(hash)] !== 0 && at >= size - 1 && hashes.has(hash)) visit(at - size + 1)
      }
    },
  }
}

function next(hash: number, factor: number, code: number): number {
  return (Math.imul(hash, factor) + code + 1) | 0
}

function joined(hash: number, otherHash: number): number {
  return (hash >>> 0) * 2 ** 21 + (otherHash >>> 11)
}

function sumsOf(text: Uint16Array, factor: number): Int32Array {
  const sums = new Int32Array(text.length + 1)
  let sum = 0
  for (let at = 0; at < text.length; at++) {
    sum = next(sum, factor, text[at] as number)
    sums[at + 1] = sum
  }
  return sums
}

function partOf(sums: Int32Array, powers: Int32Array, start: number, end: number): number {
  return ((sums[end] as number) - Math.imul(sums[start] as number, powers[end - start] as number)) | 0
}

function powerOf(factor: number, exponent: number): number {
  let power = 1
  for (let times = 0; times < exponent; times++) power = Math.imul(power, factor)
  return power
}

function powersOf(factor: number, size: number): Int32Array {
  const powers = new Int32Array(size)
  let power = 1
  for (let at = 0; at < size; at++) {
    powers[at] = power
    power = Math.imul(power, factor)
  }
  return powers
}
