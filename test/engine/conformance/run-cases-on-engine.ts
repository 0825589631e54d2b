import { afterAll, beforeAll, expect } from 'vitest'
import type { RunCase } from '../../conformance/run-case.ts'
import { loadCase } from '../../core/play-case.ts'
import { expectPlayed } from './expect-played.ts'
import { createEngineStage, type EngineRun, type EngineStage } from './play-on-engine.ts'

let stage: EngineStage

/** Opens the stage on which all cases of a test file are played. */
export function openEngineForFile(): void {
  beforeAll(() => {
    stage = createEngineStage()
  })
  afterAll(() => stage.close())
}

/** Plays a case on the embedded engine. */
export async function tryCase(runCase: RunCase): Promise<void> {
  const { plan, inputs } = loadCase(runCase)
  if (!plan || !runCase.expect) throw new Error('the runbook is refused')
  const played = await stage.start(runCase, plan, inputs)
  expectPlayed(played, played.report.status, runCase.expect)
}

/** Whether a case says anything of a run that is stopped and resumed. */
export function isResumed(runCase: RunCase): boolean {
  return runCase.cancel === undefined && runCase['not-resumed'] === undefined
}

/** A run that one process stops and another resumes ends in the same way, by the same calls. */
export async function tryResumed(runCase: RunCase): Promise<void> {
  const { plan, inputs } = loadCase(runCase)
  if (!plan) throw new Error('the runbook is refused')
  const whole = await stage.start(runCase, plan, inputs)
  for (const stop of stopsOf(runCase, whole)) {
    const stopped = await stage.start(runCase, plan, inputs, stop)
    const again = stopped.report.status === 'interrupted' ? await stage.resume(runCase, stopped) : stopped
    const when = `stopped after ${stop} outcomes`
    expect(endOf(again), when).toEqual(endOf(whole))
    expect(callsOf(again), when).toEqual(callsOf(whole))
    expect(createsOf(again), when).toEqual([...new Set(createsOf(again))])
  }
}

/** After the first outcome, after the last, and in the middle; the host made of data is stopped after every one. */
function stopsOf({ stops }: RunCase, { outcomes }: EngineRun): readonly number[] {
  if (stops) return stops
  return outcomes === 0 ? [] : [...new Set([1, Math.ceil(outcomes / 2), outcomes])]
}

function endOf({ report }: EngineRun): object {
  const { status, outputs, error, warnings = [] } = report
  return {
    status,
    outputs,
    code: error?.code,
    path: error?.path,
    warnings: warnings.map(({ path }) => path).sort(),
  }
}

function callsOf({ sent }: EngineRun): readonly string[] {
  return [...new Set(sent.map(({ path, attempt }) => `${path}#${attempt}`))].sort()
}

/** What may have been made must not be made again. */
function createsOf({ sent }: EngineRun): readonly string[] {
  const creates = sent.filter(({ action }) => action === 'test/create')
  return creates.map(({ path, attempt }) => `${path}#${attempt}`)
}
