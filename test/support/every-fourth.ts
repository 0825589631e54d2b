/** Every fourth, for `npm test`: a case for each rule, and a new one now and then. */
export function everyFourth<T>(all: readonly T[]): readonly T[] {
  return all.filter((_, index) => index % 4 === 0)
}

/** Exactly the others, for `npm run test:full`. */
export function otherThanEveryFourth<T>(all: readonly T[]): readonly T[] {
  return all.filter((_, index) => index % 4 !== 0)
}
