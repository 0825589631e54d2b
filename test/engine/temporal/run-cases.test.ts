import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { formatDuration } from '../../../src/core/duration.ts'
import { runType } from '../../../src/engine/temporal/messages.ts'
import { expectRun } from '../../conformance/expect-run.ts'
import type { ExpectedRun, RunCase } from '../../conformance/run-case.ts'
import { loadCase } from '../../core/play-case.ts'
import { expectMade } from '../conformance/expect-made.ts'
import { createIsolate, type Isolate } from './isolate/create-isolate.ts'
import { createIsolateStage, type IsolateRun, type IsolateStage } from './isolate/play-on-isolate.ts'
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

const folder = new URL('../../cases/run/', import.meta.url)

for (const file of readdirSync(folder)) {
  const cases = (parse(readFileSync(new URL(file, folder), 'utf8')) as readonly RunCase[]).filter(
    ({ expect: expected }) => expected !== undefined,
  )
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
  expectPlayed(played, runCase.expect)
  for (const execution of played.executions)
    expect(await replayExecution(isolate, runType, execution)).toBeUndefined()
}

function expectPlayed(played: IsolateRun, expected: ExpectedRun): void {
  const { outcome, seen, tookMs } = played
  expectRun(seen, expected)
  expect(outcome.status).toBe(seen.status)
  if (expected.takes !== undefined) expect(formatDuration(tookMs)).toBe(expected.takes)
  expectMade(played, expected)
}
