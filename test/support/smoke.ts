/** A case as data, which can be marked. */
export interface MarkedCase {
  /** `npm test` plays it, also where it chooses among cases: one for each rule of its file. */
  readonly smoke?: boolean
}

/** The marked cases, for `npm test`. */
export function smoke<T extends MarkedCase>(all: readonly T[]): readonly T[] {
  return all.filter(isSmoke)
}

/** Exactly the others, for `npm run test:full`. */
export function otherThanSmoke<T extends MarkedCase>(all: readonly T[]): readonly T[] {
  return all.filter((one) => !isSmoke(one))
}

function isSmoke(one: MarkedCase): boolean {
  return one.smoke === true
}
