import { runCaseFilesWithRun } from '../../conformance/run-case-files.ts'
import { describeCases } from '../../support/describe-cases.ts'
import { otherThanSmoke } from '../../support/smoke.ts'
import { isResumed, openEngineForFile, tryCase, tryResumed } from './run-cases-on-engine.ts'

openEngineForFile()

for (const { file, cases, isLong } of runCaseFilesWithRun) {
  if (isLong) describeCases(`run/${file}`, cases, tryCase)
  describeCases(`run/${file}, stopped and resumed`, otherThanSmoke(cases.filter(isResumed)), tryResumed)
}
