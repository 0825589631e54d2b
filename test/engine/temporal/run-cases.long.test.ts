import { describe, it } from 'vitest'
import { readRunCasesWithRun } from '../../conformance/read-run-cases.ts'
import { otherThanEveryFourth } from '../../support/every-fourth.ts'
import { inManyExecutions, openIsolateForFile, tryCase } from './isolate/run-cases-on-isolate.ts'

openIsolateForFile()

for (const one of readRunCasesWithRun()) {
  if (one.isLong)
    describe(`run/${one.file}`, () => {
      for (const runCase of one.cases) it(runCase.name, () => tryCase(runCase))
    })
  const [continued, mostEvents] = inManyExecutions(one)
  const others = one.isLong ? continued : otherThanEveryFourth(continued)
  if (others.length === 0) continue
  describe(`run/${one.file}, in many executions`, () => {
    for (const runCase of others) it(runCase.name, () => tryCase(runCase, mostEvents))
  })
}
