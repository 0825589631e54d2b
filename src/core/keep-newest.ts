/**
 * Bounds a list by a size: keeps the newest up to that, and what `shorter` makes of the older ones.
 * @default nothing of them is kept
 */
export function keepNewest<T>(
  oldestFirst: readonly T[],
  most: number,
  sizeOf: (one: T) => number,
  shorter: (one: T) => T | readonly [] = () => [],
): readonly T[] {
  let left = most
  return oldestFirst
    .toReversed()
    .flatMap((one) => {
      left -= sizeOf(one)
      return left >= 0 ? one : shorter(one)
    })
    .toReversed()
}
