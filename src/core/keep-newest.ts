/**
 * Bounds a list by a size: keeps the newest up to that, those without a size, and what `shorter` makes of the others.
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
      const size = sizeOf(one)
      left -= size
      return left >= 0 || size === 0 ? one : shorter(one)
    })
    .toReversed()
}
