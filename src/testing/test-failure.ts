import type { Range } from '../core/diagnostic.ts'

/** Why a test fails, and where the test file expects something else. */
export interface TestFailure {
  readonly message: string
  /** Further lines: what to write. */
  readonly hints: readonly string[]
  /** The expectation, or the test. */
  readonly range: Range
}
