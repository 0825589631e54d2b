import type { Plan } from '../../src/core/plan/plan.ts'
import { createPlanIndex, createStepRecords, type StepRecord } from '../../src/core/record/index.ts'
import { usualStartMs as startMs } from '../../src/testing/index.ts'
import type { GraphRun } from '../../src/view/graph/index.ts'
import type { RunCase } from '../conformance/run-case.ts'
import { loadCase, playCase } from '../core/play-case.ts'

/** A case that was played, and its run as the record holds it. */
export interface RecordedCase {
  readonly plan: Plan
  readonly run: GraphRun
}

/** Plays a case that starts a run. */
export async function runOfCase(runCase: RunCase): Promise<RecordedCase> {
  const { plan, inputs } = loadCase(runCase)
  if (!plan) throw new Error('the runbook is refused')
  const { host, seen, tookMs } = await playCase(runCase, plan, inputs)
  const rows = new Map<string, StepRecord>()
  const records = createStepRecords(
    createPlanIndex(plan),
    {
      write: (step) => rows.set(step.path, step),
      read: (path) => rows.get(path),
      readOutsideLoops: () => [],
      lastPosition: () => -1,
    },
    true,
  )
  const at = new Date(startMs).toISOString()
  const events = host.events.map((event, seq) => ({ seq, event: { ...event, run_id: 'run_1', at } }))
  for (const { event } of events) for (const { record } of records.take(event)) rows.set(record.path, record)
  const record = {
    run_id: 'run_1',
    status: seen.status,
    started_at: at,
    ended_at: new Date(startMs + tookMs).toISOString(),
    steps: [...rows.values()],
    questions: [],
    ...(seen.error ? { error: seen.error } : {}),
  }
  return { plan, run: { record, events, nowMs: startMs + tookMs } }
}
