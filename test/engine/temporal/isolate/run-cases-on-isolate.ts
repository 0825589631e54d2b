import { afterAll, beforeAll, expect } from 'vitest'
import { runTypeOf } from '../../../../src/engine/temporal/run-listing.ts'
import type { RunCase } from '../../../conformance/run-case.ts'
import type { RunCaseFile } from '../../../conformance/run-case-files.ts'
import { loadCase } from '../../../core/play-case.ts'
import { expectPlayed } from '../../conformance/expect-played.ts'
import { createIsolate, type Isolate } from './create-isolate.ts'
import { createIsolateStage, type IsolateStage } from './play-on-isolate.ts'
import { replayExecution } from './replay-execution.ts'

let isolate: Isolate
let stage: IsolateStage

/** Opens the isolate in which all cases of a test file are played. */
export function openIsolateForFile(): void {
  beforeAll(async () => {
    isolate = await createIsolate()
    stage = createIsolateStage(isolate)
  })
  afterAll(async () => {
    stage.close()
    await isolate.close()
  })
}

/** Plays a case, and replays each of its executions. `mostEvents`: the length of an execution. */
export async function tryCase(runCase: RunCase, mostEvents?: number): Promise<void> {
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

/**
 * Whether a case touches a port of the workflow more than by calls: it has control requests, events or answers of
 * people, or states waits, lines of the log or files. What the others are about is the core's, whatever runs it.
 */
export function touchesPorts({ cancel, events, people, expect: expected }: RunCase): boolean {
  const said = [cancel, events, people, expected?.waits, expected?.log, expected?.artifacts]
  return said.some((one) => one !== undefined)
}

/** The cases of a file that may be played in many executions, and after how many events each execution ends. */
export function inManyExecutions({ file, cases }: RunCaseFile): readonly [readonly RunCase[], number] {
  const continued = cases.filter(({ temporal = {} }) => temporal['not-continued'] === undefined)
  // Cases with thousands of calls would need thousands of executions.
  return [continued, file === '12-sizes.long.yaml' ? 2000 : 12]
}
