import type { PlacedFinding } from '../../project/runbooks/index.ts'
import type { LoadedTestFile, TestFileResults } from '../../testing/index.ts'

/** A test file with everything that was found and seen. */
export interface TestedFile extends Pick<LoadedTestFile, 'texts'> {
  readonly diagnostics: readonly PlacedFinding[]
  readonly file: string
  /** The path of its runbook. */
  readonly runbook?: string
  /** Left out where the file could not be run. */
  readonly results?: TestFileResults
}
