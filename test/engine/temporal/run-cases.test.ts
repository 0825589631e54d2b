import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runTypeOf } from '../../../src/engine/temporal/run-type.ts'
import { readRunCasesWithRun } from '../../conformance/read-run-cases.ts'
import type { RunCase } from '../../conformance/run-case.ts'
import { loadCase } from '../../core/play-case.ts'
import { expectPlayed } from '../conformance/expect-played.ts'
import { createIsolate, type Isolate } from './isolate/create-isolate.ts'
import { createIsolateStage, type IsolateStage } from './isolate/play-on-isolate.ts'
import { replayExecution } from './isolate/replay-execution.ts'

let isolate: Isolate
let stage: IsolateStage
beforeAll(async () => {
  isolate = await createIsolate()
  stage = createIsolateStage(isolate)
})
afterAll(async () => {
  stage.close()
  await isolate.close()
})

for (const { file, cases } of readRunCasesWithRun()) {
  describe(`run/${file}`, () => {
    for (const runCase of cases) it(runCase.name, () => tryCase(runCase))
  })
  // Those with thousands of calls would go on in thousands of executions.
  const fewEvents = file === '12-sizes.yaml' ? 2000 : 12
  describe(`run/${file}, in many executions`, () => {
    const continued = cases.filter(({ temporal = {} }) => temporal['not-continued'] === undefined)
    for (const runCase of continued) it(runCase.name, () => tryCase(runCase, fewEvents))
  })
}

async function tryCase(runCase: RunCase, mostEvents?: number): Promise<void> {
  const { plan, inputs } = loadCase(runCase)
  if (!plan || !runCase.expect) throw new Error('the runbook is refused')
  const played = await stage.play(runCase, plan, inputs, mostEvents)
  expectPlayed(played, played.outcome.status, runCase.expect)
  // A short run of one execution leaves nothing.
  const kept = played.kept.flatMap(({ events }) => events)
  if (played.executions.length > 1) expect(kept).toEqual(played.events)
  for (const execution of played.executions)
    expect(await replayExecution(isolate, runTypeOf(plan.name), execution)).toBeUndefined()
}
