const base = 0x5bd1e995
const otherBase = 0x2c1b3c6d
const plus = 0x2b
const blank = 0x20

/** What stands for each code, once it was asked for; 0 before. */
const folded = new Uint16Array(0x1_00_00)

/** The same code for letters that differ in case. A plus is a blank, since forms write it for one. */
function fold(code: number): number {
  const known = folded[code] as number
  if (known !== 0) return known
  // One letter becomes two, and one has a form of its own at the end of words.
  const lower = String.fromCharCode(code).toLowerCase().replace('ς', 'σ').charCodeAt(0)
  folded[code] = code === plus ? blank : lower || 1
  return folded[code]
}

/** The hash of a part of one text, with 53 bits and without differences of case: parts that differ have different ones. */
export type PartHash = (start: number, end: number) => number

/** Polynomial hashes: that of a part follows from those of two beginnings, in the logarithm of its length. */
export function hashesOf(text: Uint16Array): PartHash {
  // Most texts need no hash of a part.
  let sums: readonly [Int32Array, Int32Array] | undefined
  return (start, end) => {
    sums ??= [sumsOf(text, base), sumsOf(text, otherBase)]
    const one = partOf(sums[0], base, start, end)
    const other = partOf(sums[1], otherBase, start, end)
    return (one >>> 0) * 2 ** 21 + (other >>> 11)
  }
}

/** The first characters of known texts, without differences of case. */
export interface Windows {
  /** How many characters of each. */
  readonly size: number
  readonly hashes: Set<number>
  /** A list in which a look is enough for nearly every text that is not known. */
  isThere: Uint8Array
}

/** No text yet. */
export function createWindows(size: number): Windows {
  return { size, hashes: new Set(), isThere: new Uint8Array(2 ** 12) }
}

/** Adds the first characters of a text. */
export function addWindow(windows: Windows, text: Uint16Array): void {
  const { hashes, isThere, size } = windows
  const hash = text.subarray(0, size).reduce((sum, code) => next(sum, base, code), 0)
  hashes.add(hash)
  isThere[slotOf(hash, isThere)] = 1
  if (hashes.size * 16 <= isThere.length || isThere.length >= 2 ** 24) return
  windows.isThere = new Uint8Array(2 * isThere.length)
  for (const one of hashes) windows.isThere[slotOf(one, windows.isThere)] = 1
}

/** Visits each place where one of the known texts may begin. */
export function eachWindow(
  { size, hashes, isThere }: Windows,
  text: Uint16Array,
  visit: (start: number) => void,
): void {
  if (hashes.size === 0) return
  const power = powerOf(base, size)
  let hash = 0
  for (let at = 0; at < text.length; at++) {
    hash = next(hash, base, text[at] as number)
    if (at >= size) hash = (hash - Math.imul(fold(text[at - size] as number) + 1, power)) | 0
    if (isThere[slotOf(hash, isThere)] !== 0 && hashes.has(hash) && at >= size - 1) visit(at - size + 1)
  }
}

/** The upper bits of a product, as many as the list has. */
function slotOf(hash: number, { length }: Uint8Array): number {
  return Math.imul(hash, 0x9e3779b1) >>> Math.clz32(length - 1)
}

function next(hash: number, factor: number, code: number): number {
  return (Math.imul(hash, factor) + fold(code) + 1) | 0
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

function partOf(sums: Int32Array, factor: number, start: number, end: number): number {
  return ((sums[end] as number) - Math.imul(sums[start] as number, powerOf(factor, end - start))) | 0
}

function powerOf(factor: number, exponent: number): number {
  let power = 1
  let square = factor
  for (let left = exponent; left > 0; left >>= 1) {
    if (left & 1) power = Math.imul(power, square)
    square = Math.imul(square, square)
  }
  return power
}
