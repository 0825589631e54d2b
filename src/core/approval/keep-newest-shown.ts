import { type JsonValue, jsonSize } from '../json.ts'
import { keepNewest } from '../keep-newest.ts'
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
  return keepNewest(
    oldestFirst,
    mostBytes,
    (one) => (one.covers && !isKept(one) ? jsonSize(one.covers as unknown as JsonValue) : 0),
    (one) => (one.covers ? { ...one, covers: withoutShown(one.covers) } : one),
  )
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
