import { describe, it } from 'vitest'
import { readRunCasesWithRun } from '../../conformance/read-run-cases.ts'
import { otherThanEveryFourth } from '../../support/every-fourth.ts'
import { isResumed, openEngineForFile, tryCase, tryResumed } from './run-cases-on-engine.ts'

openEngineForFile()

for (const { file, cases, isLong } of readRunCasesWithRun()) {
  if (isLong)
    describe(`run/${file}`, () => {
      for (const runCase of cases) it(runCase.name, () => tryCase(runCase))
    })
  const resumed = cases.filter(isResumed)
  const others = isLong ? resumed : otherThanEveryFourth(resumed)
  if (others.length === 0) continue
  describe(`run/${file}, stopped and resumed`, () => {
    for (const runCase of others) it(runCase.name, () => tryResumed(runCase))
  })
}
