/** How many calls are sent, without repeats after failures. */
export interface Calls {
  /** Sent in any case, as long as nothing fails. */
  readonly least: number
  /** Never more than this; null where only the run can tell. */
  readonly most: number | null
}

export const noCalls: Calls = { least: 0, most: 0 }

export function exactly(count: number): Calls {
  return { least: count, most: count }
}

export function addCalls(all: readonly Calls[]): Calls {
  return all.reduce<Calls>(
    (sum, { least, most }) => ({
      least: sum.least + least,
      most: sum.most === null || most === null ? null : sum.most + most,
    }),
    noCalls,
  )
}

export function timesCalls({ least, most }: Calls, count: number): Calls {
  return { least: least * count, most: most === null ? (count === 0 ? 0 : null) : most * count }
}

/** The calls of something that may be left out. */
export function maybeCalls({ most }: Calls): Calls {
  return { least: 0, most }
}

/** The calls of something that happens once for each item of a list that nobody knows yet. */
export function unknownTimes({ most }: Calls): Calls {
  return { least: 0, most: most === 0 ? 0 : null }
}
