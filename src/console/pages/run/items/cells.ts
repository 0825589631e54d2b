/** The state of an item, as a letter of `cells`. */
export type Cell = 's' | 't' | 'f' | 'k' | 'c' | 'u' | 'r' | 'p'

/** The word of each letter. */
export const cellWords: Readonly<Record<Cell, string>> = {
  s: 'succeeded',
  t: 'tolerated',
  f: 'failed',
  k: 'skipped',
  c: 'cancelled',
  u: 'unknown',
  r: 'running',
  p: 'pending',
}

/** Items with the same state in a row. */
export interface CellRun {
  readonly cell: Cell
  readonly count: number
}

/** Reads `3s2f95p`. */
export function readCells(text: string): readonly CellRun[] {
  return [...text.matchAll(/(\d*)([a-z])/g)].map(([, count, letter]) => ({
    cell: letter as Cell,
    count: count === '' ? 1 : Number(count),
  }))
}
