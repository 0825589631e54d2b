/**
 * A listener of the caller's that cannot fail. It is told of things and decides nothing: what it throws is no reason
 * to lose the answer of a request that is done.
 */
export function quiet<Told extends readonly unknown[]>(
  listener: (...told: Told) => unknown,
): (...told: Told) => void {
  return (...told) => {
    try {
      const end = listener(...told)
      if (end instanceof Promise) end.catch(() => {})
    } catch {
      // Nobody to tell.
    }
  }
}
