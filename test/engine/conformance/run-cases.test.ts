import { runCaseFilesWithRun } from '../../conformance/run-case-files.ts'
import { describeCases } from '../../support/describe-cases.ts'
import { smoke } from '../../support/smoke.ts'
import { isResumed, openEngineForFile, tryCase, tryResumed } from './run-cases-on-engine.ts'

openEngineForFile()

for (const { file, cases } of runCaseFilesWithRun.filter(({ isLong }) => !isLong)) {
  describeCases(`run/${file}`, cases, tryCase)
  describeCases(`run/${file}, stopped and resumed`, smoke(cases.filter(isResumed)), tryResumed)
}
