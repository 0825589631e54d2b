import { runCaseFilesWithRun } from '../conformance/run-case-files.ts'
import { describeCases } from '../support/describe-cases.ts'
import { expectFolded } from './expect-folded.ts'
import { shapes } from './shapes.ts'

const folded = new Set(shapes)

for (const { file, cases } of runCaseFilesWithRun.filter(({ isLong }) => !isLong)) {
  const others = cases.filter((runCase) => !folded.has(runCase))
  describeCases(`${file}, folded in pieces as in one go, and as in the record`, others, expectFolded)
}
