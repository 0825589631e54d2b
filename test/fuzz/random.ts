/** Numbers that look like chance, and are the same for the same seed. */
export interface Random {
  /** From 0 up to 1, without it. */
  next(): number
  /** A whole number from 0 up to the limit, without it. */
  below(limit: number): number
  pick<T>(items: readonly T[]): T
}

/** The generator known as mulberry32: small, quick, and good enough to choose mutations. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { next, below, pick: (items) => items[below(items.length)] as (typeof items)[number] }
}
