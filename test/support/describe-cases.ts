import { describe, it } from 'vitest'

/** Describes a test for each case. Where there is none it describes nothing: an empty suite would fail. */
export function describeCases<T extends { readonly name: string }>(
  title: string,
  cases: readonly T[],
  tryCase: (one: T) => Promise<unknown>,
): void {
  if (cases.length === 0) return
  describe(title, () => {
    for (const one of cases) it(one.name, () => tryCase(one))
  })
}
