import { describe, it } from 'vitest'
import { readRunCasesWithRun } from '../../conformance/read-run-cases.ts'
import { everyFourth } from '../../support/every-fourth.ts'
import { isResumed, openEngineForFile, tryCase, tryResumed } from './run-cases-on-engine.ts'

openEngineForFile()

for (const { file, cases } of readRunCasesWithRun().filter(({ isLong }) => !isLong)) {
  describe(`run/${file}`, () => {
    for (const runCase of cases) it(runCase.name, () => tryCase(runCase))
  })
  const resumed = cases.filter(isResumed)
  if (resumed.length === 0) continue
  describe(`run/${file}, stopped and resumed`, () => {
    for (const runCase of everyFourth(resumed)) it(runCase.name, () => tryResumed(runCase))
  })
}
