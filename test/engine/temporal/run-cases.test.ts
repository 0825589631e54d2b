import { runCaseFilesWithRun } from '../../conformance/run-case-files.ts'
import { describeCases } from '../../support/describe-cases.ts'
import { smoke } from '../../support/smoke.ts'
import {
  inManyExecutions,
  openIsolateForFile,
  touchesPorts,
  tryCase,
} from './isolate/run-cases-on-isolate.ts'

openIsolateForFile()

for (const one of runCaseFilesWithRun.filter(({ isLong }) => !isLong)) {
  const chosen = one.cases.filter((runCase) => runCase.smoke || touchesPorts(runCase))
  describeCases(`run/${one.file}`, chosen, (runCase) => tryCase(runCase))
  const [continued, mostEvents] = inManyExecutions(one)
  describeCases(`run/${one.file}, in many executions`, smoke(continued), (runCase) =>
    tryCase(runCase, mostEvents),
  )
}
