import { type JsonValue, jsonSize } from '../json.ts'
import type { Covers } from './covers.ts'

const mostBytes = 128 * 1024

/**
 * Bounds what is kept of calls that were asked for: the newest are kept as they were shown, up to 128 KiB in all. Of the
 * others the seals stay, so that they still permit and compare the same calls. `isKept`: it is kept whatever its size.
 */
export function keepNewestShown<T extends { readonly covers?: Covers }>(
  oldestFirst: readonly T[],
  isKept: (one: T) => boolean = () => false,
): readonly T[] {
  let bytesLeft = mostBytes
  return oldestFirst
    .toReversed()
    .map((one) => {
      if (!one.covers || isKept(one)) return one
      bytesLeft -= jsonSize(one.covers as unknown as JsonValue)
      return bytesLeft >= 0 ? one : { ...one, covers: withoutShown(one.covers) }
    })
    .toReversed()
}

function withoutShown({ calls, again, ...covers }: Covers): Covers {
  return {
    ...covers,
    calls: calls.map((ofStep) => ({ ...ofStep, shown: [] })),
    ...(again && {
      again: { ...again, changes: again.changes.map(({ path, field }) => ({ path, field })) },
    }),
  }
}
