import { describe, it } from 'vitest'
import { readRunCasesWithRun } from '../../conformance/read-run-cases.ts'
import { everyFourth } from '../../support/every-fourth.ts'
import { inManyExecutions, openIsolateForFile, tryCase } from './isolate/run-cases-on-isolate.ts'

openIsolateForFile()

for (const one of readRunCasesWithRun().filter(({ isLong }) => !isLong)) {
  describe(`run/${one.file}`, () => {
    for (const runCase of one.cases) it(runCase.name, () => tryCase(runCase))
  })
  const [continued, mostEvents] = inManyExecutions(one)
  if (continued.length === 0) continue
  describe(`run/${one.file}, in many executions`, () => {
    for (const runCase of everyFourth(continued)) it(runCase.name, () => tryCase(runCase, mostEvents))
  })
}
