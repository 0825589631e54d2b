/** The hashes of the parts of one text. */
export interface TextHashes {
  /** Of the first characters, with 32 bits. */
  first(size: number): number
  /** Of the whole text, as of a part of others. */
  whole(): number
  /** Of any part, in constant time and with 53 bits: parts that differ have different ones. */
  part(start: number, end: number): number
}

const base = 0x5bd1e995
const otherBase = 0x2c1b3c6d

/** Creates a polynomial hash function. The hash of a part follows from the hashes of two beginnings of the text. */
export function createHasher(): (text: string) => TextHashes {
  let powers = powersOf(base, 64)
  let otherPowers = powersOf(otherBase, 64)
  const growPowers = (longest: number): void => {
    if (longest < powers.length) return
    const size = Math.max(longest + 1, powers.length * 2)
    powers = powersOf(base, size)
    otherPowers = powersOf(otherBase, size)
  }
  return (text) => {
    const { length } = text
    // Most texts need no hash of a part.
    let sums: { readonly one: Int32Array; readonly other: Int32Array } | undefined
    return {
      first: (size) => firstOf(text, size, base),
      whole: () => joined(firstOf(text, length, base), firstOf(text, length, otherBase)),
      part(start, end) {
        sums ??= { one: sumsOf(text, base), other: sumsOf(text, otherBase) }
        growPowers(end - start)
        return joined(partOf(sums.one, powers, start, end), partOf(sums.other, otherPowers, start, end))
      },
    }
  }
}

/** Whether any part of this size is accepted, by its start and by the hash that first characters have. */
export function someWindow(
  text: string,
  size: number,
  accepts: (hash: number, start: number) => boolean,
): boolean {
  const power = powerOf(base, size)
  let hash = 0
  for (let at = 0; at < text.length; at++) {
    hash = next(hash, base, text.charCodeAt(at))
    if (at >= size) hash = (hash - Math.imul(text.charCodeAt(at - size) + 1, power)) | 0
    if (at >= size - 1 && accepts(hash, at - size + 1)) return true
  }
  return false
}

function next(hash: number, factor: number, code: number): number {
  return (Math.imul(hash, factor) + code + 1) | 0
}

function firstOf(text: string, size: number, factor: number): number {
  let hash = 0
  for (let at = 0; at < size; at++) hash = next(hash, factor, text.charCodeAt(at))
  return hash
}

function joined(hash: number, otherHash: number): number {
  return (hash >>> 0) * 2 ** 21 + (otherHash >>> 11)
}

function sumsOf(text: string, factor: number): Int32Array {
  const sums = new Int32Array(text.length + 1)
  let sum = 0
  for (let at = 0; at < text.length; at++) {
    sum = next(sum, factor, text.charCodeAt(at))
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
