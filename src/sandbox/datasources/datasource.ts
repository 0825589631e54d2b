import type { Outcome } from '../outcome.ts'

/** What E5 hands to a datasource. */
export interface Query {
  readonly expr: string
  /** Unix milliseconds that the query looks at, the delay already taken off. */
  readonly atMs: number
  readonly args: Readonly<Record<string, string>>
  readonly seed: string
}

export interface Datasource {
  readonly name: string
  readonly type: string
  readonly accountId: number
  query(query: Query): Outcome
}
