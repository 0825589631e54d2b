import type { Range } from '../load/index.ts'
import type { ExpectationUpdate } from './update/update-expectations.ts'

/** Why a test fails, and where the test file expects something else. */
export interface TestFailure {
  readonly message: string
  /** Further lines: what to write. */
  readonly hints: readonly string[]
  /** The expectation, or the test. */
  readonly range: Range
  /** The value that would make the test pass here. Left out: there is none, such as for a call that must not be made. */
  readonly update?: ExpectationUpdate
}
