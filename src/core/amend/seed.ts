import { type ErrorData, isUnclear } from '../run-error.ts'

/** A call, by what it is recognised by. */
export interface CallName {
  readonly path: string
  readonly action: string
  /** Equal for calls of an action that ask for the same: a text of it, or its hash. */
  readonly asked: string
}

/** An attempt from before an amendment that a call can take over, or must know of. */
export interface Seed extends CallName {
  readonly id: number
  /** `open`: nobody can say whether it was carried out. `undone`: it certainly was not. */
  readonly outcome: 'done' | 'open' | 'undone'
}

/** What an attempt counts as once it is set aside that ended like this: without an error it went well. */
export function outcomeOfEnded(error: ErrorData | undefined): Seed['outcome'] {
  if (error === undefined) return 'done'
  return isUnclear(error) || error.mayBeDone === true ? 'open' : 'undone'
}
