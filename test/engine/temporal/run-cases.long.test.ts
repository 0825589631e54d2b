import { runCaseFilesWithRun } from '../../conformance/run-case-files.ts'
import { describeCases } from '../../support/describe-cases.ts'
import { otherThanSmoke } from '../../support/smoke.ts'
import {
  inManyExecutions,
  openIsolateForFile,
  touchesPorts,
  tryCase,
} from './isolate/run-cases-on-isolate.ts'

openIsolateForFile()

for (const one of runCaseFilesWithRun) {
  const others = otherThanSmoke(one.cases).filter((runCase) => one.isLong || !touchesPorts(runCase))
  describeCases(`run/${one.file}`, others, (runCase) => tryCase(runCase))
  const [continued, mostEvents] = inManyExecutions(one)
  describeCases(`run/${one.file}, in many executions`, otherThanSmoke(continued), (runCase) =>
    tryCase(runCase, mostEvents),
  )
}
